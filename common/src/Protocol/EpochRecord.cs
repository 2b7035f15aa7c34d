using System.Buffers.Binary;
using Optiks.Native;

namespace Optiks.Protocol;

/// <summary>EpochRecord is one entry of the log: what the trees are at an epoch (docs/spec/records.md section 2). Made by the update task, read for display; checked only by <see cref="Verifier"/>.</summary>
public sealed record EpochRecord
{
    /// <summary>Length of an encoded record in octets.</summary>
    public const int Length = Lengths.Record;

    /// <summary>Length of a record's hash in octets.</summary>
    public const int HashLength = Lengths.Hash;

    /// <summary>CurrentFormat that is written.</summary>
    public const ushort CurrentFormat = 1;

    private const int EpochOffset = 2 + 32;
    private const int PeriodOffset = EpochOffset + 8;
    private const int StatesOffset = EpochOffset + (4 * 8);
    private const int PreviousOffset = StatesOffset + StructureState.TotalLength;

    /// <summary>Format of the record.</summary>
    public ushort Format { get; init; } = CurrentFormat;

    /// <summary>LogId, 32 octets.</summary>
    public required ReadOnlyMemory<byte> LogId { get; init; }

    public required ulong Epoch { get; init; }

    public required ulong Period { get; init; }

    public required ulong PeriodFirstEpoch { get; init; }

    /// <summary>TimeMs in Unix milliseconds.</summary>
    public required ulong TimeMs { get; init; }

    /// <summary>Structures are their states, structure 1 first.</summary>
    public required IReadOnlyList<StructureState> Structures { get; init; }

    /// <summary>Previous is the hash of the record before, 32 octets; zero in epoch 0.</summary>
    public required ReadOnlyMemory<byte> Previous { get; init; }

    /// <summary>Hash of an encoded record, 32 octets.</summary>
    public static byte[] Hash(ReadOnlySpan<byte> record)
    {
        ArgumentOutOfRangeException.ThrowIfNotEqual(record.Length, Length, nameof(record));
        return NativeHash.Compute(HashTags.Record, record);
    }

    /// <summary>EpochOf reads the epoch of an encoded record without decoding the rest.</summary>
    public static ulong EpochOf(ReadOnlySpan<byte> record) => BinaryPrimitives.ReadUInt64BigEndian(record[EpochOffset..]);

    /// <summary>PeriodOf reads the period of an encoded record without decoding the rest.</summary>
    public static ulong PeriodOf(ReadOnlySpan<byte> record) => BinaryPrimitives.ReadUInt64BigEndian(record[PeriodOffset..]);

    /// <summary>Decode reads an encoded record. Throws <see cref="EncodingException"/> for another length. The contents are not checked.</summary>
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
            Epoch = EpochOf(octets),
            Period = PeriodOf(octets),
            PeriodFirstEpoch = BinaryPrimitives.ReadUInt64BigEndian(octets[50..]),
            TimeMs = BinaryPrimitives.ReadUInt64BigEndian(octets[58..]),
            Structures = StructureState.DecodeAll(octets[StatesOffset..PreviousOffset]),
            Previous = octets[PreviousOffset..].ToArray(),
        };
    }

    /// <summary>IsSwitch: it is the first of a later period than the first.</summary>
    public bool IsSwitch => Epoch > 0 && Epoch == PeriodFirstEpoch;

    /// <summary>BeginsPeriod says of an encoded record, without decoding the rest, whether it is the first of its period.</summary>
    public static bool BeginsPeriod(ReadOnlySpan<byte> record) => EpochOf(record) == BinaryPrimitives.ReadUInt64BigEndian(record[50..]);

    /// <summary>Encode gives the octets.</summary>
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
