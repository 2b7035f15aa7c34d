using System.Globalization;
using System.Text;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Cli.Inspecting;

/// <summary>
/// Prints a saved answer as indented text. If the caller gives a key, it also computes labels from the VRF proofs, and so prints on which
/// side of each node a path continues.
/// </summary>
internal sealed partial class AnswerPrinter
{
    private const int ShownHashOctets = 6;
    private readonly TextWriter _out;
    private readonly ReadOnlyMemory<byte>? _key;
    private IReadOnlyList<StructureState> _structures = [];
    private StructureId _structure = StructureId.Keys;
    private ReadOnlyMemory<byte>? _subject;

    public AnswerPrinter(TextWriter output, ReadOnlyMemory<byte>? key)
    {
        _out = output;
        _key = key;
        _subject = key;
    }

    public void Print(SavedAnswer saved, int length)
    {
        switch (saved)
        {
            case SavedAnswer.OfLookups(LookupAnswer answer):
                Line(0, $"lookup answer, {length} octets, {Count(answer.Lookups.Count, "key", "keys")}");
                Head(answer.Head);
                foreach (Lookup lookup in answer.Lookups)
                {
                    Lookup(lookup);
                }
                break;
            case SavedAnswer.OfVersions(VersionsAnswer answer):
                Line(0, $"history or monitor answer, {length} octets, {Count(answer.Versions.Count, "key", "keys")}");
                Head(answer.Head);
                foreach (Versions versions in answer.Versions)
                {
                    Versions(versions);
                }
                break;
            case SavedAnswer.OfUsers(UserLookupAnswer answer):
                Line(0, $"user lookup answer, {length} octets, {Count(answer.Users.Count, "user", "users")}");
                Head(answer.Head);
                Users(answer);
                break;
            case SavedAnswer.OfOwnUser(UserMonitorAnswer answer):
                Line(0, $"user monitor answer, {length} octets, {Count(answer.Keys.Count, "device", "devices")}");
                Head(answer.Head);
                OwnUser(answer);
                break;
            case SavedAnswer.OfPeriods(PeriodsAnswer answer):
                Line(0, $"answer about periods, {length} octets, {Count(answer.Bounds.Count, "bound", "bounds")}");
                Head(answer.Head);
                foreach (PartRecord bound in answer.Bounds)
                {
                    Line(1, $"bound, inclusion proof {Hashes(bound.Inclusion)}");
                    Record(2, EpochRecord.Decode(bound.Record.Span));
                }
                break;
            case SavedAnswer.OfAudit(AuditProof proof):
                Audit(proof, length);
                break;
            case SavedAnswer.OfHead(AnswerHead head):
                Line(0, $"head, {length} octets");
                Head(head);
                break;
            case SavedAnswer.OfRecord(EpochRecord record):
                Record(0, record);
                break;
            case SavedAnswer.OfCheckpoint(ReadOnlyMemory<byte> note):
                Line(0, $"checkpoint, {length} octets");
                Note(1, note);
                break;
        }
        Line(0, "Nothing above has been verified.");
    }

    private void Head(AnswerHead head)
    {
        Line(1, "head");
        Line(2, $"inclusion proof    {Hashes(head.Inclusion)}");
        Line(2, $"consistency proof  {Hashes(head.Consistency)}");
        if (head.Checkpoint.IsEmpty)
        {
            Line(2, "checkpoint         the one that the client named");
        }
        else
        {
            Line(2, $"checkpoint         {head.Checkpoint.Length} octets");
            Note(3, head.Checkpoint);
        }
        var record = EpochRecord.Decode(head.Record.Span);
        _structures = record.Structures;
        Record(2, record);
    }

    private void Record(int depth, EpochRecord record)
    {
        Line(depth, $"record of epoch {record.Epoch}, {EpochRecord.Length} octets");
        Line(depth + 1, $"log id    {Base64UrlText.Encode(record.LogId.Span)}");
        Line(depth + 1, $"time      {Time(record.TimeMs)}");
        Line(depth + 1, $"period    {record.Period}, from epoch {record.PeriodFirstEpoch}");
        Line(depth + 1, $"previous  {Short(record.Previous.Span)}");
        for (int i = 0; i < record.Structures.Count; i++)
        {
            StructureState state = record.Structures[i];
            Line(
                depth + 1,
                $"{Structures.Names[i],-15} {state.Count,10} leaves   root {Short(state.Root.Span)}   VRF key {Short(state.VrfPublicKey.Span)}");
        }
    }

    private void Lookup(Lookup lookup)
    {
        IReadOnlyList<ulong> ladder = Ladder.Present(lookup.Version);
        Line(1, lookup.Version == 0
            ? "absent: version 1 does not exist"
            : $"latest version {lookup.Version}; ladder {string.Join(' ', ladder)}");
        // The answer leaves out those versions at the beginning of the ladder that the client already knew.
        int first = Math.Max(0, ladder.Count - lookup.Members.Count);
        for (int i = 0; i < lookup.Members.Count; i++)
        {
            Member(lookup.Members[i], first + i < ladder.Count ? ladder[first + i] : null);
        }
        Absent(lookup.Version, lookup.Absent);
    }

    private void Versions(Versions versions)
    {
        Line(
            1,
            $"latest version {versions.Version}; {versions.Members.Count} listed from version {versions.From}{(versions.Absent.Count == 0 ? ", a page" : "")}");
        for (int i = 0; i < versions.Members.Count; i++)
        {
            Member(versions.Members[i], versions.From + (ulong)i);
        }
        Absent(versions.Version, versions.Absent);
    }

    private void Absent(ulong latest, IReadOnlyList<NonMember> proofs)
    {
        IReadOnlyList<ulong> ladder = Ladder.Absent(latest);
        for (int i = 0; i < proofs.Count; i++)
        {
            Absent(proofs[i], i < ladder.Count ? ladder[i] : null);
        }
    }

    private void Member(Member member, ulong? version)
    {
        byte[]? label = Label(member.VrfProof, version);
        Line(2, $"{Name(version)} exists, inserted in epoch {member.Epoch}");
        if (label is not null)
        {
            Line(3, $"label       {Short(label)}");
        }
        if (member.Kind == MemberKind.Opened)
        {
            Line(
                3,
                $"{Values.Name(member.Value)}     {Values.Show(member.Value)} ({member.Value.Length} octets{(Values.IsNoted(member.Value) ? " with the note" : "")})");
        }
        else
        {
            Line(3, $"commitment  {Short(member.CommitmentOrOpening.Span)}");
        }
        Path(member.Path, label, "leaf");
    }

    private void Absent(NonMember absent, ulong? version)
    {
        Line(2, $"{Name(version)} does not exist");
        byte[]? label = Label(absent.VrfProof, version);
        if (label is not null)
        {
            Line(3, $"label       {Short(label)}");
        }
        switch (absent.Node)
        {
            case null:
                Line(3, "the tree is empty");
                break;
            case OpenedNode.Interior interior:
                Line(3, $"where it would be, a node of {interior.Length} bits has another prefix");
                Path(interior.Path, interior.Prefix.Span,
                    $"node of {interior.Length} bits: left {Short(interior.Left.Span)}, right {Short(interior.Right.Span)}");
                break;
            case OpenedNode.Leaf leaf:
                Line(3, "where it would be, a leaf has another label");
                Path(leaf.Path, leaf.Label.Span, $"leaf {Short(leaf.Label.Span)} of epoch {leaf.Epoch}");
                break;
        }
    }

    // Prints a path from the root down: each ancestor with the hash of its child that is not on the path.
    private void Path(TreePath path, ReadOnlySpan<byte> position, string end)
    {
        IReadOnlyList<int> lengths = path.PrefixLengths();
        int siblings = path.Siblings.Length / NativeHash.Length;
        Line(3, $"path        {Count(lengths.Count, "node", "nodes")}, {path.Siblings.Length} octets");
        int[] downwards = [.. lengths.Order()];
        for (int i = 0; i < downwards.Length; i++)
        {
            int deepestFirst = downwards.Length - 1 - i;
            string sibling = deepestFirst < siblings
                ? Short(path.Siblings.Span.Slice(deepestFirst * NativeHash.Length, NativeHash.Length))
                : "missing";
            string side = position.IsEmpty ? "sibling" : Bit(position, downwards[i]) ? "goes right; left" : "goes left; right";
            Line(4, $"{Branch(i)}{downwards[i]} bits, {side} {sibling}");
        }
        Line(4, $"{Branch(downwards.Length)}{end}");
    }

    private void Audit(AuditProof proof, int length)
    {
        EpochRecord first = EpochRecord.Decode(proof.Records[0].Span);
        EpochRecord last = EpochRecord.Decode(proof.Records[^1].Span);
        Line(0, $"audit proof of epochs {first.Epoch} to {last.Epoch}, {length} octets");
        for (int i = 0; i < proof.Structures.Count; i++)
        {
            AppendProof structure = proof.Structures[i];
            Line(
                1,
                $"{Structures.Names[i],-15} {Count(structure.Leaves.Count, "leaf", "leaves")} added, {structure.Opened.Length} octets of the old tree");
            foreach (IGrouping<byte, AddedLeaf> epoch in structure.Leaves.GroupBy(leaf => leaf.Offset).OrderBy(group => group.Key))
            {
                Line(2, $"epoch {first.Epoch + 1 + epoch.Key,-8} {Count(epoch.Count(), "leaf", "leaves")}");
            }
        }
        foreach (ReadOnlyMemory<byte> record in proof.Records)
        {
            Record(1, EpochRecord.Decode(record.Span));
        }
    }

    private void Note(int depth, ReadOnlyMemory<byte> note)
    {
        foreach (string line in Encoding.UTF8.GetString(note.Span).Split('\n', StringSplitOptions.RemoveEmptyEntries))
        {
            Line(depth, DisplayText.Escape(line));
        }
    }

    // Returns the label that a VRF proof gives; null if there is no key, or the proof does not belong to this key and version.
    private byte[]? Label(ReadOnlyMemory<byte> vrfProof, ulong? version)
    {
        if (_subject is not { Length: > 0 and <= ProtocolLimits.MaxKeyLength } key || version is not { } number || _structures.Count == 0)
        {
            return null;
        }
        byte[] alpha = VrfKey.Input(_structure, key.Span, number);
        byte[] label = new byte[VrfKey.Length];
        return VrfKey.Verify(_structures[(int)_structure - 1].VrfPublicKey.Span, alpha, vrfProof.Span, label) == Reason.Valid
            ? label
            : null;
    }

    // Returns the words by which the output names a leaf: its version, or "the entry" if its structure has no versions. In a log that
    // reassigns usernames, the version of a username's leaf is the number of the name's user, counted from 1.
    private string Name(ulong? version) => _structure.HasVersions() || (_structure == StructureId.Usernames && version > 0)
        ? $"version {version?.ToString(CultureInfo.InvariantCulture) ?? "?"}"
        : "the entry";

    private void Line(int depth, string text)
    {
        _out.Write(new string(' ', depth * 2));
        _out.WriteLine(text);
    }

    private static string Branch(int depth) => depth == 0 ? "" : new string(' ', depth - 1) + "\u2514 ";

    private static bool Bit(ReadOnlySpan<byte> octets, int index) => (octets[index / 8] >> (7 - (index % 8)) & 1) == 1;

    private static string Hashes(ReadOnlyMemory<byte> hashes) => Count(hashes.Length / NativeHash.Length, "hash", "hashes");

    private static string Count(int count, string one, string many) => $"{count} {(count == 1 ? one : many)}";

    private static string Short(ReadOnlySpan<byte> octets) => Convert.ToHexStringLower(octets[..ShownHashOctets]) + "..";

    private static string Time(ulong milliseconds) => milliseconds <= (ulong)DateTimeOffset.MaxValue.ToUnixTimeMilliseconds()
        ? DateTimeOffset.FromUnixTimeMilliseconds((long)milliseconds).ToString("yyyy-MM-dd HH:mm:ss.fff'Z'", CultureInfo.InvariantCulture)
        : milliseconds.ToString(CultureInfo.InvariantCulture);
}
