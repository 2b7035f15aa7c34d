using System.Buffers.Binary;
using Optiks.Native;

namespace Optiks.Protocol;

/// <summary>
/// Holds an epoch record: one entry of the log, with the state of the trees at an epoch (docs/spec/records.md section 2). The update-task
/// makes records, and other programs decode them for display. Only <see cref="Verifier"/> checks records.
/// </summary>
public sealed record EpochRecord
{
    /// <summary>The length of an encoded record in bytes.</summary>
    public const int Length = Lengths.Record;

    /// <summary>The length of a record's hash in bytes.</summary>
    public const int HashLength = Lengths.Hash;

    /// <summary>The number of the format in which new records are written.</summary>
    public const ushort CurrentFormat = 1;

    private const int EpochOffset = 2 + 32;
    private const int PeriodOffset = EpochOffset + 8;
    private const int StatesOffset = EpochOffset + (4 * 8);
    private const int PreviousOffset = StatesOffset + StructureState.TotalLength;

    /// <summary>The number of the record's format.</summary>
    public ushort Format { get; init; } = CurrentFormat;

    /// <summary>The log id, 32 bytes.</summary>
    public required ReadOnlyMemory<byte> LogId { get; init; }

    public required ulong Epoch { get; init; }

    public required ulong Period { get; init; }

    public required ulong PeriodFirstEpoch { get; init; }

    /// <summary>The time of the record in Unix milliseconds.</summary>
    public required ulong TimeMs { get; init; }

    /// <summary>The states of the structures, beginning with structure 1.</summary>
    public required IReadOnlyList<StructureState> Structures { get; init; }

    /// <summary>The hash of the previous epoch's record, 32 bytes; zeros in epoch 0.</summary>
    public required ReadOnlyMemory<byte> Previous { get; init; }

    /// <summary>Returns the hash of an encoded record, 32 bytes.</summary>
    public static byte[] Hash(ReadOnlySpan<byte> record)
    {
        ArgumentOutOfRangeException.ThrowIfNotEqual(record.Length, Length, nameof(record));
        return NativeHash.Compute(HashTags.Record, record);
    }

    /// <summary>Reads the epoch of an encoded record without decoding the rest.</summary>
    public static ulong ReadEpoch(ReadOnlySpan<byte> record) => BinaryPrimitives.ReadUInt64BigEndian(record[EpochOffset..]);

    /// <summary>Reads the period of an encoded record without decoding the rest.</summary>
    public static ulong ReadPeriod(ReadOnlySpan<byte> record) => BinaryPrimitives.ReadUInt64BigEndian(record[PeriodOffset..]);

    /// <summary>
    /// Decodes an encoded record without checking its contents. Throws <see cref="EncodingException"/> if the length is wrong.
    /// </summary>
    public static EpochRecord Decode(ReadOnlySpan<byte> octets)
    {
        if (octets.Length != Length)
        {
            throw new EncodingException(octets.Length < Length ? Reason.MalformedTruncated : Reason.MalformedTrailing, "record");
        }
        return new EpochRecord
        {
            Format = BinaryPrimitives.ReadUInt16BigEndian(octets),
            LogId = octets[2..34].ToArray(),
            Epoch = ReadEpoch(octets),
            Period = ReadPeriod(octets),
            PeriodFirstEpoch = BinaryPrimitives.ReadUInt64BigEndian(octets[50..]),
            TimeMs = BinaryPrimitives.ReadUInt64BigEndian(octets[58..]),
            Structures = StructureState.DecodeAll(octets[StatesOffset..PreviousOffset]),
            Previous = octets[PreviousOffset..].ToArray(),
        };
    }

    /// <summary>Whether the record is a switch, which is the first record of any period except the first period.</summary>
    public bool IsSwitch => Epoch > 0 && Epoch == PeriodFirstEpoch;

    /// <summary>Returns whether an encoded record is the first of its period, without decoding the rest.</summary>
    public static bool BeginsPeriod(ReadOnlySpan<byte> record) => ReadEpoch(record) == BinaryPrimitives.ReadUInt64BigEndian(record[50..]);

    /// <summary>Returns the record's bytes.</summary>
    public byte[] Encode()
    {
        ArgumentOutOfRangeException.ThrowIfNotEqual(LogId.Length, 32, nameof(LogId));
        ArgumentOutOfRangeException.ThrowIfNotEqual(Previous.Length, 32, nameof(Previous));
        ArgumentOutOfRangeException.ThrowIfNotEqual(Structures.Count, StructureState.StructureCount, nameof(Structures));
        byte[] octets = new byte[Length];
        Span<byte> span = octets;
        BinaryPrimitives.WriteUInt16BigEndian(span, Format);
        LogId.Span.CopyTo(span[2..]);
        BinaryPrimitives.WriteUInt64BigEndian(span[34..], Epoch);
        BinaryPrimitives.WriteUInt64BigEndian(span[42..], Period);
        BinaryPrimitives.WriteUInt64BigEndian(span[50..], PeriodFirstEpoch);
        BinaryPrimitives.WriteUInt64BigEndian(span[58..], TimeMs);
        for (int i = 0; i < Structures.Count; i++)
        {
            Structures[i].Encode(span.Slice(StatesOffset + (i * StructureState.Length), StructureState.Length));
        }
        Previous.Span.CopyTo(span[PreviousOffset..]);
        return octets;
    }
}
