using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Splits an answer into statements about single leaves (docs/spec/broken-append.md section 1). The statements of a refused answer may be
/// false. Among the proofs of absence for a key, the first proof is about the version after the latest version. An instance serves one
/// answer. Not thread-safe.
/// </summary>
internal sealed class ShownLeaves
{
    private readonly List<AnswerHead> _heads = [];
    private readonly List<LeafStatement> _found = [];

    /// <summary>Begins to collect the statements of an answer.</summary>
    /// <param name="head">The answer's head.</param>
    /// <param name="kept">The kept checkpoint, for an answer that has no checkpoint; empty if the client has no kept checkpoint.</param>
    /// <param name="parts">The parts of an answer about users, each with its record.</param>
    public ShownLeaves(AnswerHead head, ReadOnlyMemory<byte> kept, IReadOnlyList<PartRecord>? parts = null)
    {
        AnswerHead own = head with { Consistency = default, Checkpoint = head.Checkpoint.IsEmpty ? kept : head.Checkpoint };
        _heads.Add(own);
        _heads.AddRange((parts ?? []).Select(part => own with { Record = part.Record, Inclusion = part.Inclusion }));
    }

    /// <summary>The statements found so far.</summary>
    public IReadOnlyList<LeafStatement> Found => _found;

    /// <summary>Adds the statements of a list of versions.</summary>
    public void Add(StructureId structure, ReadOnlyMemory<byte> key, Versions versions, byte record = 0)
    {
        ulong version = versions.From;
        foreach (Member member in versions.Members)
        {
            Add(record, structure, key, version++, member, null);
        }
        AddAbsent(record, structure, key, versions.Version, versions.Absent);
    }

    /// <summary>Adds the statements of a lookup that left out the versions up to the known version.</summary>
    public void Add(StructureId structure, ReadOnlyMemory<byte> key, Lookup lookup, ulong known, byte record = 0)
    {
        foreach ((ulong version, Member member) in Ladder.Present(lookup.Version).Where(version => version > known).Zip(lookup.Members))
        {
            Add(record, structure, key, version, member, null);
        }
        AddAbsent(record, structure, key, lookup.Version, lookup.Absent);
    }

    /// <summary>Adds the statement about a key in a structure without versions.</summary>
    public void Add(StructureId structure, ReadOnlyMemory<byte> key, UserEntry entry) =>
        Add(entry.Record, structure, key, 0, entry.Member, entry.Absent);

    private void AddAbsent(byte record, StructureId structure, ReadOnlyMemory<byte> key, ulong latest, IReadOnlyList<NonMember> absent)
    {
        foreach ((ulong version, NonMember proof) in Ladder.Absent(latest).Zip(absent))
        {
            Add(record, structure, key, version, null, proof);
        }
    }

    private void Add(byte record, StructureId structure, ReadOnlyMemory<byte> key, ulong version, Member? member, NonMember? absent)
    {
        // Skip the statement if there is no checkpoint, because then nobody signed the statement. Also skip it if its key is empty or too
        // long.
        if (record < _heads.Count && !_heads[record].Checkpoint.IsEmpty && key.Length is >= 1 and <= ProtocolLimits.MaxKeyLength)
        {
            _found.Add(new LeafStatement(_heads[record], structure, key, version, member, absent));
        }
    }
}
