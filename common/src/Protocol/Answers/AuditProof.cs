namespace Optiks.Protocol;

/// <summary>
/// Holds the proof that the log's trees only grew from epoch a to epoch b (docs/spec/answers.md section 1). The proof is decoded for
/// display, not verified.
/// </summary>
/// <param name="Records">The encoded records of the epochs a, a + 1, ..., b, one after another.</param>
/// <param name="Structures">One append-only proof for each structure.</param>
public sealed record AuditProof(IReadOnlyList<ReadOnlyMemory<byte>> Records, IReadOnlyList<AppendProof> Structures)
{
    /// <summary>The largest number of steps between epochs in one proof, b - a.</summary>
    public const int MaxEpochs = ProtocolLimits.MaxRangeEpochs;

    // These bounds follow from the contents of a proof: its records, the added leaves, and the nodes above each added leaf. A leaf has at
    // most 256 nodes above it, each with a prefix and a stub.
    private const ulong MaxLength = 512 << 20;
    private const ulong LengthBesideLeaves = 64 << 10;
    private const ulong MaxLengthOfLeaf = 128 + (256 * 68);

    private const uint LeastRecordsLength = 2 * EpochRecord.Length;
    private const uint MaxRecordsLength = (MaxEpochs + 1) * EpochRecord.Length;

    /// <summary>
    /// Returns the greatest possible length of the proof from one record to a later record, both of which the log signed. The length
    /// follows from the records' counts of leaves. A client does not read more than this length from a server.
    /// </summary>
    public static int ComputeMaxLength(EpochRecord first, EpochRecord last)
    {
        ArgumentNullException.ThrowIfNull(first);
        ArgumentNullException.ThrowIfNull(last);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(first.Epoch, last.Epoch, nameof(first));
        ulong length = LengthBesideLeaves + (Math.Min(last.Epoch - first.Epoch + 1, MaxEpochs + 1) * EpochRecord.Length);
        for (int i = 0; i < StructureState.StructureCount; i++)
        {
            // At a switch, trees begin anew, so the count of leaves may be smaller than in the record before the switch. The proof then
            // shows nothing about the leaves of the new period.
            ulong added = last.Structures[i].Count - Math.Min(first.Structures[i].Count, last.Structures[i].Count);
            length += added < MaxLength / MaxLengthOfLeaf ? added * MaxLengthOfLeaf : MaxLength;
        }
        return (int)Math.Min(MaxLength, length);
    }

    /// <summary>Decodes bytes that are one AuditProof. Throws <see cref="EncodingException"/> if the bytes are invalid.</summary>
    public static AuditProof Decode(ReadOnlyMemory<byte> octets)
    {
        var reader = new TlsReader(octets);
        ReadOnlyMemory<byte> records = reader.Vector(LeastRecordsLength, MaxRecordsLength, "audit_proof.records", EpochRecord.Length);
        var proofs = new AppendProof[StructureState.StructureCount];
        for (int i = 0; i < proofs.Length; i++)
        {
            proofs[i] = AppendProof.Decode(ref reader);
        }
        reader.End("audit proof");
        var list = new ReadOnlyMemory<byte>[records.Length / EpochRecord.Length];
        for (int i = 0; i < list.Length; i++)
        {
            list[i] = records.Slice(i * EpochRecord.Length, EpochRecord.Length);
        }
        return new AuditProof(list, proofs);
    }

    /// <summary>
    /// Joins encoded records and the append-only proofs of the whole range (from <c>StagedEpoch.AppendProofs</c>) into the bytes of an
    /// AuditProof.
    /// </summary>
    public static byte[] Encode(IReadOnlyList<ReadOnlyMemory<byte>> records, ReadOnlySpan<byte> appendProofs)
    {
        byte[] encoded = EncodeRecords(records);
        return [.. encoded, .. appendProofs];
    }

    /// <summary>Returns the first part of an AuditProof, which is the vector of records. The append-only proofs follow this part.</summary>
    public static byte[] EncodeRecords(IReadOnlyList<ReadOnlyMemory<byte>> records)
    {
        ArgumentNullException.ThrowIfNull(records);
        ArgumentOutOfRangeException.ThrowIfLessThan(records.Count, 2, nameof(records));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(records.Count, MaxEpochs + 1, nameof(records));
        const int PrefixLength = 3;
        int length = records.Count * EpochRecord.Length;
        byte[] octets = new byte[PrefixLength + length];
        octets[0] = (byte)(length >> 16);
        octets[1] = (byte)(length >> 8);
        octets[2] = (byte)length;
        int position = PrefixLength;
        foreach (ReadOnlyMemory<byte> record in records)
        {
            ArgumentOutOfRangeException.ThrowIfNotEqual(record.Length, EpochRecord.Length, nameof(records));
            record.Span.CopyTo(octets.AsSpan(position));
            position += EpochRecord.Length;
        }
        return octets;
    }
}
