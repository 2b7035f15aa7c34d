using System.Buffers.Binary;
using System.Text.Json;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Following;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>A request about keys that is being answered.</summary>
/// <param name="Kind">The kind of query.</param>
/// <param name="Queries">The keys that the request asks about.</param>
/// <param name="Terms">The terms of the answer.</param>
internal sealed record KeyRequest(QueryKind Kind, QueryBatch Queries, AnswerTerms Terms) : AnswerRequest(Terms)
{
    private const uint MaxMembers = 256;

    /// <summary>
    /// The check that each key still belongs to the caller in all later periods (<see cref="LaterPeriods"/>); null if the caller has an API
    /// key or asks for latest values.
    /// </summary>
    public LaterPeriods? Later { get; init; }

    public override string Name => Kind.Name;

    public override int Count => Queries.Keys.Count;

    public override int Cost => Count * (1 + (Terms.State.EndedPeriod is { } ended ? Later?.CountAfter(ended) ?? 0 : 0));

    public override int MaxLength => AnswerLimits.MaxAnswerLength(Kind, Count);

    public override Action<Utf8JsonWriter, ReadOnlyMemory<byte>> WriteJson => Kind.WriteJson;

    public override FirstTry TryWriteAtOnce(ServedEpoch epoch, PooledWriter answer)
    {
        bool isWritten = Kind == QueryKind.Lookup && Terms.UsesCache
            && epoch.View.TryWriteLookups(StructureId.Keys, Queries.Keys, Queries.Periods, Queries.Versions, answer, Queries.Latest);
        return new FirstTry(isWritten, Count, isWritten ? Queries.FindAhead(Kind, epoch.Period) : null);
    }

    public override void AddTo(ProofBatch proofs)
    {
        if (Kind == QueryKind.Lookup)
        {
            proofs.AddLookups(Queries.Keys, Queries.Periods, Queries.Versions);
            return;
        }
        for (int i = 0; i < Count; i++)
        {
            proofs.AddVersions(Queries.Keys[i], Queries.Versions[i], MaxMembers);
        }
    }

    public override void Write(ServedEpoch epoch, ProofBatch proofs, PooledWriter answer)
    {
        if (Kind == QueryKind.Lookup)
        {
            proofs.WriteLookups(Queries.Keys, Queries.Periods, Queries.Versions, answer, Queries.Latest);
        }
        else
        {
            WriteVersions(proofs, answer);
            ThrowIfReassigned();
        }
        if (Queries.FindAhead(Kind, epoch.Period) is { } refusal)
        {
            throw refusal;
        }
    }

    private void ThrowIfReassigned()
    {
        if (Terms.State.EndedPeriod is { } ended && Later?.FindReassigned(ended, Queries, Terms.UsesCache) is { } index)
        {
            throw new ProblemException(CallerRights.NotOwnBefore(Queries.GetField(index)));
        }
    }

    /// <summary>Divides the answer's page among the keys. Each key gets at least one version, so that every page makes progress.</summary>
    private void WriteVersions(ProofBatch proofs, PooledWriter body)
    {
        body.Append(stackalloc byte[sizeof(uint)]);
        for (int i = 0; i < Count; i++)
        {
            int left = Math.Max(0, AnswerLimits.PageLength - (body.Length - sizeof(uint)));
            int start = body.Length;
            proofs.WriteVersions(Queries.Keys[i], Queries.Versions[i], MaxMembers, left / (Count - i), body);
            Queries.Latest[i] = BinaryPrimitives.ReadUInt64BigEndian(body.Written.Span[start..]);
        }
        BinaryPrimitives.WriteUInt32BigEndian(body.Written.Span, (uint)(body.Length - sizeof(uint)));
    }
}
