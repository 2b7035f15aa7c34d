using System.Globalization;
using System.Security.Cryptography;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>
/// Encodes and decodes everything that an epoch's transaction wrote, as one file next to the board. An operator who restores an older copy
/// of the database imports the bundles of the epochs that the copy lacks. A bundle holds keys, values and openings, so only the operator
/// may read it.
/// </summary>
/// <remarks>
/// <para>The file has these fields (integers are big-endian, and lengths in bytes are in parentheses): the magic text <c>optiks epoch
/// 2\n</c>; record; number of leaves (4); for each leaf in ordinal order: structure (1), version (8), label (32), commitment (32), tag
/// (16), opening (16), key (length 1, bytes; empty when erased), value (length 4, bytes; 2^32-1 when erased), request id (16), item (2);
/// number of outcomes (4); for each: request id (16), body hash (32), sequence (8), item (2), then 0 and the ordinal (4), or 1 and the
/// refusal: reason (1), item (2), period (8), version (8); number of erasures (4); for each: epoch (8) and ordinal (4) of the leaf, request
/// id (16), item (2); finally the SHA-256 of everything before it (32).</para>
/// <para>Files that begin with <c>optiks epoch 1\n</c> lack the erasures and the number of erasures. The bundle of an epoch that erases
/// copies or begins a period begins with <c>optiks epoch 3\n</c>. In it, each erasure ends with the period (8) of the copy, or 0 for a
/// leaf. The erasures are followed by the period (8) that begins, or 0, and the number of this period's copies (4).</para>
/// <para>The same epoch always encodes to the same bytes until one of its values is erased (<see cref="BundleErasure"/>).</para>
/// </remarks>
public static class EpochBundle
{
    private const string Suffix = ".bundle";
    private const uint Erased = uint.MaxValue;
    private const int HashLength = 32;
    private const int LeafFixedLength = 1 + 8 + 32 + 32 + 16 + 16 + 1 + 4 + 16 + 2;
    private const int ErasureLength = 8 + 4 + 16 + 2;
    private const int OutcomeMaxLength = 16 + 32 + 8 + 2 + 1 + 1 + 2 + 8 + 8;

    private static ReadOnlySpan<byte> Magic => "optiks epoch 2\n"u8;

    private static ReadOnlySpan<byte> MagicWithPeriods => "optiks epoch 3\n"u8;

    private static ReadOnlySpan<byte> MagicWithoutErasures => "optiks epoch 1\n"u8;

    /// <summary>Returns the file's name in the folder of bundles.</summary>
    public static string FileName(ulong epoch) => string.Create(CultureInfo.InvariantCulture, $"{epoch}{Suffix}");

    /// <summary>Parses a file name; returns false for other files, such as temporary ones.</summary>
    public static bool TryParseFileName(string name, out ulong epoch)
    {
        ArgumentNullException.ThrowIfNull(name);
        epoch = 0;
        return name.EndsWith(Suffix, StringComparison.Ordinal)
            && ulong.TryParse(name.AsSpan(0, name.Length - Suffix.Length), NumberStyles.None, CultureInfo.InvariantCulture, out epoch)
            && name == FileName(epoch);
    }

    /// <summary>Returns the bytes of the file.</summary>
    public static ReadOnlyMemory<byte> Encode(EpochContent content)
    {
        ArgumentNullException.ThrowIfNull(content);
        LeafBatch leaves = content.Leaves;
        ReadOnlySpan<LeafRow> rows = leaves.Rows.Span;
        var writer = new OctetWriter(
            Magic.Length + EpochRecord.Length + 8 + (rows.Length * LeafFixedLength) + leaves.Keys.Length + leaves.Values.Length
            + (content.Outcomes.Count * OutcomeMaxLength) + 4 + (content.Erasures.Count * (ErasureLength + 8)) + 12 + HashLength);
        // Epochs without erased copies or a new period use format 2, which older programs can read.
        bool hasPeriods = content.Switch is not null || content.Erasures.Any(erasure => erasure.Period is not null);
        writer.Octets(hasPeriods ? MagicWithPeriods : Magic);
        writer.Octets(content.Epoch.Record.Span);
        writer.U32((uint)rows.Length);
        for (int i = 0; i < rows.Length; i++)
        {
            ref readonly LeafRow row = ref rows[i];
            writer.U8((byte)row.Structure);
            writer.U64(row.Version);
            writer.Octets(row.Label);
            writer.Octets(row.Commitment);
            writer.Octets(row.Tag);
            writer.Octets(row.Opening);
            ReadOnlySpan<byte> key = leaves.Key(i).Span;
            writer.U8(checked((byte)key.Length));
            writer.Octets(key);
            if (row.ValueOffset == LeafRow.NoValue)
            {
                writer.U32(Erased);
            }
            else
            {
                writer.U32(row.ValueLength);
                writer.Octets(leaves.Values.Span.Slice(checked((int)row.ValueOffset), checked((int)row.ValueLength)));
            }
            writer.RequestId(leaves.Origins.Span[i].RequestId);
            writer.U16(checked((ushort)leaves.Origins.Span[i].Item));
        }
        writer.U32((uint)content.Outcomes.Count);
        foreach (Outcome outcome in content.Outcomes)
        {
            if (outcome.BodyHash.Length != HashLength)
            {
                throw new ArgumentException("An outcome lacks its request's body hash.", nameof(content));
            }
            writer.RequestId(outcome.RequestId);
            writer.Octets(outcome.BodyHash.Span);
            writer.U64((ulong)outcome.Sequence);
            writer.U16(checked((ushort)outcome.Item));
            ResultColumns result = ResultColumns.FromResult(outcome.Result);
            if (result.Refusal is not { } refusal)
            {
                writer.U8(0);
                writer.U32((uint)result.Ordinal!.Value);
            }
            else
            {
                writer.U8(1);
                writer.U8((byte)refusal.Reason);
                writer.U16(checked((ushort)refusal.Item));
                writer.U64(refusal.Current.Period);
                writer.U64(refusal.Current.Version);
            }
        }
        writer.U32((uint)content.Erasures.Count);
        foreach (Erasure erasure in content.Erasures)
        {
            writer.U64(erasure.Epoch);
            writer.U32((uint)erasure.Ordinal);
            writer.RequestId(erasure.Origin.RequestId);
            writer.U16(checked((ushort)erasure.Origin.Item));
            if (hasPeriods)
            {
                writer.U64(erasure.Period ?? 0);
            }
        }
        if (hasPeriods)
        {
            writer.U64(content.Switch?.Period ?? 0);
            writer.U32((uint)(content.Switch?.Copies ?? 0));
        }
        writer.Octets(SHA256.HashData(writer.Written.Span));
        return writer.Written;
    }

    /// <summary>
    /// Decodes the file of a bundle; the checkpoint of the result is empty. Throws <see cref="StorageCorruptException"/> unless the bundle
    /// is complete and undamaged.
    /// </summary>
    public static EpochContent Decode(ReadOnlyMemory<byte> octets)
    {
        int body = octets.Length - HashLength;
        if (body < Magic.Length || !SHA256.HashData(octets.Span[..body]).AsSpan().SequenceEqual(octets.Span[body..]))
        {
            throw new StorageCorruptException("An epoch's bundle is damaged: its checksum does not match.");
        }
        var reader = new OctetReader(octets[..body], "An epoch's bundle ends too early.");
        ReadOnlySpan<byte> magic = reader.Octets(Magic.Length).Span;
        bool hasPeriods = magic.SequenceEqual(MagicWithPeriods);
        bool hasErasures = hasPeriods || magic.SequenceEqual(Magic);
        if (!hasErasures && !magic.SequenceEqual(MagicWithoutErasures))
        {
            throw new StorageCorruptException("A file among the epochs' bundles is not a bundle, or is from a newer version.");
        }
        ReadOnlyMemory<byte> record = reader.Octets(EpochRecord.Length);
        ulong epoch = EpochRecord.Decode(record.Span).Epoch;
        LeafBatch leaves = ReadLeaves(ref reader, epoch);
        IReadOnlyList<Outcome> outcomes = ReadOutcomes(ref reader);
        IReadOnlyList<Erasure> erasures = hasErasures ? ReadErasures(ref reader, hasPeriods) : [];
        PeriodSwitch? begun = hasPeriods ? ReadSwitch(ref reader) : null;
        return !reader.IsEmpty
            ? throw new StorageCorruptException("An epoch's bundle has data after its end.")
            : new EpochContent(new EpochRow(epoch, record, EpochRecord.Hash(record.Span), default), leaves,
                outcomes)
            { Erasures = erasures, Switch = begun };
    }

    private static LeafBatch ReadLeaves(ref OctetReader reader, ulong epoch)
    {
        int count = reader.Count(LeafFixedLength);
        var rows = new LeafRow[count];
        var keyEnds = new int[count];
        var origins = new LeafOrigin[count];
        var keys = new MemoryStream();
        var values = new MemoryStream();
        for (int i = 0; i < count; i++)
        {
            ref LeafRow row = ref rows[i];
            row.Structure = (StructureId)reader.U8();
            row.Version = reader.U64();
            row.Label = reader.Octets(32).Span;
            row.Commitment = reader.Octets(32).Span;
            row.Tag = reader.Octets(16).Span;
            row.Opening = reader.Octets(16).Span;
            row.Epoch = epoch;
            keys.Write(reader.Octets(reader.U8()).Span);
            keyEnds[i] = (int)keys.Length;
            uint length = reader.U32();
            row.ValueOffset = LeafRow.NoValue;
            if (length != Erased)
            {
                row.ValueOffset = (ulong)values.Length;
                row.ValueLength = length;
                values.Write(reader.Octets(length).Span);
            }
            origins[i] = new LeafOrigin(reader.RequestId(), reader.U16());
        }
        return new LeafBatch(rows, values.ToArray(), keys.ToArray(), keyEnds, origins);
    }

    private static PeriodSwitch? ReadSwitch(ref OctetReader reader)
    {
        ulong period = reader.U64();
        int copies = checked((int)reader.U32());
        return period == 0 ? null : new PeriodSwitch(period, copies);
    }

    private static Erasure[] ReadErasures(ref OctetReader reader, bool hasPeriods)
    {
        var erasures = new Erasure[reader.Count(ErasureLength)];
        for (int i = 0; i < erasures.Length; i++)
        {
            erasures[i] = new Erasure(reader.U64(), checked((int)reader.U32()), new LeafOrigin(reader.RequestId(), reader.U16()));
            ulong period = hasPeriods ? reader.U64() : 0;
            erasures[i] = period == 0 ? erasures[i] : erasures[i] with { Period = period };
        }
        return erasures;
    }

    private static List<Outcome> ReadOutcomes(ref OctetReader reader)
    {
        int count = reader.Count(16 + HashLength + 8 + 2 + 1 + 4);
        var outcomes = new List<Outcome>(count);
        for (int i = 0; i < count; i++)
        {
            Guid requestId = reader.RequestId();
            ReadOnlyMemory<byte> bodyHash = reader.Octets(HashLength);
            long sequence = (long)reader.U64();
            int item = reader.U16();
            ResultColumns result = reader.U8() == 0
                ? new ResultColumns(checked((int)reader.U32()), null)
                : new ResultColumns(null,
                    new Refusal((RefusalReason)reader.U8(), reader.U16(), new ExpectedVersion(reader.U64(), reader.U64())));
            outcomes.Add(new Outcome(requestId, sequence, item, result.ToResult()!) { BodyHash = bodyHash });
        }
        return outcomes;
    }
}
