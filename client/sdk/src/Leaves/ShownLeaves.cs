using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// ShownLeaves cuts an answer into statements about single leaves (docs/spec/broken-append.md section 1). Of an answer that was refused they are what it says, and true or not. Of the absences of a key the first is that of the
/// version after the latest. One thread; for one answer.
/// </summary>
internal sealed class ShownLeaves
{
    private readonly List<AnswerHead> _heads = [];
    private readonly List<LeafStatement> _found = [];

    /// <summary>ShownLeaves of an answer with this head, and the records of its parts.</summary>
    /// <param name="head">The head.</param>
    /// <param name="kept">The checkpoint that was kept, for an answer that has none; empty: none was.</param>
    /// <param name="parts">Of an answer about users.</param>
    public ShownLeaves(AnswerHead head, ReadOnlyMemory<byte> kept, IReadOnlyList<PartRecord>? parts = null)
    {
        AnswerHead own = head with { Consistency = default, Checkpoint = head.Checkpoint.IsEmpty ? kept : head.Checkpoint };
        _heads.Add(own);
        _heads.AddRange((parts ?? []).Select(part => own with { Record = part.Record, Inclusion = part.Inclusion }));
    }

    /// <summary>Found so far.</summary>
    public IReadOnlyList<LeafStatement> Found => _found;

    /// <summary>Add a list of versions.</summary>
    public void Add(StructureId structure, ReadOnlyMemory<byte> key, Versions versions, byte record = 0)
    {
        ulong version = versions.From;
        foreach (Member member in versions.Members)
        {
            Add(record, structure, key, version++, member, null);
        }
        AddAbsent(record, structure, key, versions.Version, versions.Absent);
    }

    /// <summary>Add a lookup, of which versions up to the known one were left out.</summary>
    public void Add(StructureId structure, ReadOnlyMemory<byte> key, Lookup lookup, ulong known, byte record = 0)
    {
        foreach ((ulong version, Member member) in Ladder.Present(lookup.Version).Where(version => version > known).Zip(lookup.Members))
        {
            Add(record, structure, key, version, member, null);
        }
        AddAbsent(record, structure, key, lookup.Version, lookup.Absent);
    }

    /// <summary>Add an entry of a structure without versions.</summary>
    public void Add(StructureId structure, ReadOnlyMemory<byte> key, UserEntry entry) => Add(entry.Record, structure, key, 0, entry.Member, entry.Absent);

    private void AddAbsent(byte record, StructureId structure, ReadOnlyMemory<byte> key, ulong latest, IReadOnlyList<NonMember> absent)
    {
        foreach ((ulong version, NonMember proof) in Ladder.Absent(latest).Zip(absent))
        {
            Add(record, structure, key, version, null, proof);
        }
    }

    private void Add(byte record, StructureId structure, ReadOnlyMemory<byte> key, ulong version, Member? member, NonMember? absent)
    {
        // Without a checkpoint nobody signed it, and no statement has an empty key or one of another length.
        if (record < _heads.Count && !_heads[record].Checkpoint.IsEmpty && key.Length is >= 1 and <= ProtocolLimits.MaxKeyLength)
        {
            _found.Add(new LeafStatement(_heads[record], structure, key, version, member, absent));
        }
    }
}
