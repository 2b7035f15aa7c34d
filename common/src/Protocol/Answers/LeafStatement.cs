using Optiks.Native;

namespace Optiks.Protocol;

/// <summary>
/// Holds one proof from an answer, with the head that ties the proof to a checkpoint (docs/spec/broken-append.md section 1). The proof
/// shows that a leaf is present or absent. The contents are not verified.
/// </summary>
/// <param name="Head">The head that ties the proof to its checkpoint.</param>
/// <param name="Structure">The structure of the tree.</param>
/// <param name="Key">The key of the leaf.</param>
/// <param name="Version">The version of the key; 0 in structures without versions.</param>
/// <param name="Member">The leaf with its membership proof; null if the leaf is shown absent.</param>
/// <param name="Absent">The proof that the leaf is absent; null if the leaf is present.</param>
public sealed record LeafStatement(
    AnswerHead Head, StructureId Structure, ReadOnlyMemory<byte> Key, ulong Version, Member? Member, NonMember? Absent)
{
    /// <summary>The greatest length of an encoded statement, whose <c>Member</c>, if any, has a commitment and no value.</summary>
    public const int MaxLength = Lengths.Record + (2 * (2 + Lengths.MaxLogProof)) + 2 + ushort.MaxValue + 1 + 1
        + ProtocolLimits.MaxKeyLength + 8 + 1
        + Lengths.VrfProof + 1 + 1 + (4 * Lengths.Hash) + 8 + 2 + Lengths.MaxSiblings;

    /// <summary>The epoch of the head's record.</summary>
    public ulong Epoch => EpochRecord.ReadEpoch(Head.Record.Span);

    /// <summary>The period of the leaf; 0 if the tree lives as long as the log.</summary>
    public ulong Period => HasPeriods ? EpochRecord.ReadPeriod(Head.Record.Span) : 0;

    // Whether the structure's tree begins anew with each period. This is so for exactly the structures whose keys have versions.
    private bool HasPeriods => Structure.IsPerPeriod();

    // The value T of the member, which is the time of its version (docs/spec/pahd.md section 3).
    private ulong Time => HasPeriods && Version == 1 && Member!.Epoch == 0
        ? EpochRecord.Decode(Head.Record.Span).PeriodFirstEpoch
        : Member!.Epoch;

    /// <summary>Decodes bytes that are one statement. Throws <see cref="EncodingException"/> if the bytes are invalid.</summary>
    public static LeafStatement Decode(ReadOnlyMemory<byte> octets)
    {
        var reader = new TlsReader(octets);
        AnswerHead head = AnswerHead.Decode(ref reader);
        var structure = (StructureId)reader.UInt8("statement.structure");
        if (structure is < StructureId.Usernames or > StructureId.Decommissioned)
        {
            throw new EncodingException(Reason.MalformedEnum, "statement.structure");
        }
        ReadOnlyMemory<byte> key = reader.Vector(1, ProtocolLimits.MaxKeyLength, "statement.key");
        ulong version = reader.UInt64("statement.version");
        LeafStatement statement = reader.UInt8("statement.kind") switch
        {
            0 => new LeafStatement(head, structure, key, version, null, NonMember.Decode(ref reader)),
            1 => new LeafStatement(head, structure, key, version, Member.Decode(ref reader), null),
            _ => throw new EncodingException(Reason.MalformedEnum, "statement.kind"),
        };
        reader.End("statement");
        return statement;
    }

    /// <summary>Returns the bytes that are stored as evidence. If the leaf is present, they contain its commitment but not its
    /// value.</summary>
    public byte[] Encode()
    {
        var writer = new TlsWriter();
        writer.Octets(Head.Record);
        writer.Vector(Lengths.MaxLogProof, Head.Inclusion);
        writer.Vector(Lengths.MaxLogProof, Head.Consistency);
        writer.Vector(ushort.MaxValue, Head.Checkpoint);
        writer.UInt8((byte)Structure);
        writer.Vector(ProtocolLimits.MaxKeyLength, Key);
        writer.UInt64(Version);
        writer.UInt8(Member is null ? (byte)0 : (byte)1);
        if (Member is null)
        {
            Write(writer, Absent!);
            return writer.ToArray();
        }
        writer.Octets(Member.VrfProof);
        writer.UInt64(Member.Epoch);
        writer.UInt8((byte)MemberKind.Committed);
        writer.Octets(GetCommitment(Member));
        Write(writer, Member.Path);
        return writer.ToArray();
    }

    /// <summary>
    /// Returns whether this statement and another statement about the same leaf show that the tree changed in another way than by adding
    /// leaves (docs/spec/broken-append.md section 2, step 4). The method assumes that the proofs in both statements are valid;
    /// <see cref="LogVerifier.JudgeLeaves"/> checks them.
    /// </summary>
    public bool Contradicts(LeafStatement other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return (Member, other.Member) switch
        {
            (null, null) => false,
            ({ } one, { } two) => one.Epoch != two.Epoch || !GetCommitment(one).AsSpan().SequenceEqual(GetCommitment(two)),
            (null, _) => Epoch >= other.Time,
            (_, null) => other.Epoch >= Time,
        };
    }

    private static byte[] GetCommitment(Member member) => member.Kind == MemberKind.Committed
        ? member.CommitmentOrOpening.ToArray()
        : NativeHash.Compute(HashTags.Commitment, [.. member.CommitmentOrOpening.Span, .. member.Value.Span]);

    private static void Write(TlsWriter writer, NonMember absent)
    {
        writer.Octets(absent.VrfProof);
        switch (absent.Node)
        {
            case OpenedNode.Interior node:
                writer.UInt8(OpenedNode.InteriorNode);
                writer.UInt8(node.Length);
                writer.Octets(node.Prefix);
                writer.Octets(node.Left);
                writer.Octets(node.Right);
                Write(writer, node.Path);
                break;
            case OpenedNode.Leaf leaf:
                writer.UInt8(OpenedNode.LeafNode);
                writer.Octets(leaf.Label);
                writer.Octets(leaf.Commitment);
                writer.UInt64(leaf.Epoch);
                Write(writer, leaf.Path);
                break;
            default:
                writer.UInt8(OpenedNode.Empty);
                break;
        }
    }

    private static void Write(TlsWriter writer, TreePath path)
    {
        writer.Octets(path.Mask);
        writer.Vector(Lengths.MaxSiblings, path.Siblings);
    }
}
