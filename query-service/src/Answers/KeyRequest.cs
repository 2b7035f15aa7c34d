using System.Buffers.Binary;
using System.Text.Json;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Following;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>One request about keys, while it is being answered.</summary>
/// <param name="Kind">The kind of query.</param>
/// <param name="Queries">The keys that the request asks about.</param>
/// <param name="Position">How far the client has seen the log.</param>
/// <param name="Type">Media type of the answer.</param>
/// <param name="UsesCache">
/// Whether the cache of VRF proofs is used. If false, all proofs are computed, and none is added to the cache.
/// </param>
/// <param name="Lease">Counts the memory of the answer, which is disposed of before the lease.</param>
internal sealed record KeyRequest(QueryKind Kind, QueryBatch Queries, ClientPosition Position, string Type, bool UsesCache, AnswerLease Lease)
    : AnswerRequest(Position, Type, UsesCache, Lease)
{
    private const uint MaxMembers = 256;

    /// <summary>
    /// The later periods, in which each key must still belong to the caller (<see cref="LaterPeriods"/>); null when the caller has an API
    /// key or asks for the latest values.
    /// </summary>
    public LaterPeriods? Later { get; init; }

    public override string Name => Kind.Name;

    public override int Count => Queries.Keys.Count;

    public override int Cost => Count * (1 + (State.EndedPeriod is { } ended ? Later?.CountAfter(ended) ?? 0 : 0));

    public override int MaxLength => AnswerLimits.MaxAnswerLength(Kind, Count);

    public override Action<Utf8JsonWriter, ReadOnlyMemory<byte>> WriteJson => Kind.WriteJson;

    public override bool IsTriedAtOnce => Kind == QueryKind.Lookup && UsesCache;

    public override bool TryWriteAtOnce(ServedEpoch epoch, PooledWriter answer)
    {
        if (!epoch.View.TryWriteLookups(StructureId.Keys, Queries.Keys, Queries.Periods, Queries.Versions, answer, Queries.Latest))
        {
            return false;
        }
        Queries.ThrowIfAhead(Kind, epoch.Period);
        return true;
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
        Queries.ThrowIfAhead(Kind, epoch.Period);
    }

    private void ThrowIfReassigned()
    {
        if (State.EndedPeriod is { } ended && Later?.FindReassigned(ended, Queries, UsesCache) is { } index)
        {
            throw new ProblemException(CallerRights.NotOwnBefore(Queries.GetField(index)));
        }
    }

    /// <summary>Divides the answer's page among the keys. Each key gets at least one member, so that every page makes progress.</summary>
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
