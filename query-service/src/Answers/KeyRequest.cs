using System.Buffers;
using System.Buffers.Binary;
using System.Text.Json;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Following;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>KeyRequest is one request about keys while it is answered.</summary>
/// <param name="Kind">What is asked.</param>
/// <param name="Queries">About which keys.</param>
/// <param name="Position">How far the client has seen the log.</param>
/// <param name="Type">Media type of the answer.</param>
/// <param name="UsesCache">False: all VRF proofs are made, whatever is cached, and none is cached.</param>
/// <param name="Lease">Counts the memory of the answer, which is disposed before it.</param>
internal sealed record KeyRequest(QueryKind Kind, QueryBatch Queries, ClientPosition Position, string Type, bool UsesCache, AnswerLease Lease)
    : AnswerRequest(Position, Type, UsesCache, Lease)
{
    private const uint MaxMembers = 256;

    // Of Versions (docs/spec/pahd.md section 2), where the epoch of the first member stands: behind two versions, the members' length and a VRF proof. 0 is a copy's.
    private const int FirstEpoch = 8 + 8 + 4 + Lengths.VrfProof;

    // Whether every later period begins with a copy of each key; null: it does not matter.
    private bool[]? _continues;

    /// <summary>OwnOnly: the caller has a token, which reads an ended period only of keys that every later period continues (docs/spec/rest.md section 3).</summary>
    public bool OwnOnly { get; init; }

    public override string Name => Kind.Name;

    public override int Count => Queries.Keys.Count;

    public override int Cost => Count;

    public override int MaxLength => AnswerLimits.Of(Kind, Count);

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

    public override void ReadLaterPeriods(ServedEpoch current)
    {
        if (!OwnOnly || State.EndedPeriod is not ulong ended)
        {
            return;
        }
        bool[] continues = [.. Enumerable.Repeat(true, Count)];
        for (ulong period = ended + 1; period <= current.Period; period++)
        {
            ServedEpoch later = period == current.Period ? current : current.FindEnded(period) ?? throw CurrentEpoch.Unavailable($"The end of period {period} is being loaded here.");
            if (!later.TryAcquire())
            {
                throw CurrentEpoch.Unavailable($"The end of period {period} is being replaced here.");
            }
            try
            {
                ClearWhereNotCopied(later.View, continues);
            }
            finally
            {
                later.Release();
            }
        }
        _continues = continues;
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

    // Version 1 of each key, as its owner would be shown it: leaf epoch 0 marks a copy.
    private void ClearWhereNotCopied(DirectoryView view, bool[] continues)
    {
        using ProofBatch proofs = view.CreateProofs(StructureId.Keys, UsesCache);
        for (int i = 0; i < Count; i++)
        {
            proofs.AddVersions(Queries.Keys[i], 1, 1);
        }
        proofs.Run();
        var versions = new ArrayBufferWriter<byte>();
        for (int i = 0; i < Count; i++)
        {
            versions.ResetWrittenCount();
            _ = proofs.WriteVersions(Queries.Keys[i], 1, 1, 1, versions);
            continues[i] &= BinaryPrimitives.ReadUInt64BigEndian(versions.WrittenSpan) > 0 && BinaryPrimitives.ReadUInt64BigEndian(versions.WrittenSpan[FirstEpoch..]) == 0;
        }
    }

    // A key without versions in the ended period shows nothing of anybody.
    private void ThrowIfReassigned()
    {
        for (int i = 0; i < Count; i++)
        {
            if (_continues is not null && !_continues[i] && Queries.Latest[i] > 0)
            {
                throw new ProblemException(CallerRights.NotOwnBefore(Queries.FieldOf(i)));
            }
        }
    }

    /// <summary>WriteVersions shares the answer's page among the keys; each has at least one member, so that every page gets somewhere.</summary>
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
