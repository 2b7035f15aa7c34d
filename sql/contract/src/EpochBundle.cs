using System.Buffers.Binary;
using System.Globalization;
using System.Security.Cryptography;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>
/// EpochBundle is everything that an epoch's transaction wrote, as one file beside the board: what brings a database that was put back to an older
/// copy forward again. It holds keys, values and openings, so only the operator may read it.
/// </summary>
/// <remarks>
/// <para>Integers are big-endian. Magic <c>optiks epoch 1\n</c>; record; number of leaves (4); for each leaf in ordinal order: structure (1), version (8), label (32),
/// commitment (32), tag (16), opening (16), key (length 1, octets; empty when erased), value (length 4, octets; 2^32-1 when erased), request id (16), item (2); number of outcomes
/// (4); for each: request id (16), body hash (32), sequence (8), item (2), then 0 and the ordinal (4), or 1 and the refusal: reason (1), item (2), period (8),
/// version (8); last the SHA-256 of all before (32).</para>
/// <para>The same epoch gives the same octets until one of its values is erased.</para>
/// </remarks>
public static class EpochBundle
{
    private const string Suffix = ".bundle";
    private const uint Erased = uint.MaxValue;
    private const int HashLength = 32;
    private const int LeafFixedLength = 1 + 8 + 32 + 32 + 16 + 16 + 1 + 4 + 16 + 2;
    private const int OutcomeMaxLength = 16 + 32 + 8 + 2 + 1 + 1 + 2 + 8 + 8;

    private static ReadOnlySpan<byte> Magic => "optiks epoch 1\n"u8;

    /// <summary>FileName in the folder of bundles.</summary>
    public static string FileName(ulong epoch) => string.Create(CultureInfo.InvariantCulture, $"{epoch}{Suffix}");

    /// <summary>TryParseFileName is the reverse; false for other files, such as temporaries.</summary>
    public static bool TryParseFileName(string name, out ulong epoch)
    {
        ArgumentNullException.ThrowIfNull(name);
        epoch = 0;
        return name.EndsWith(Suffix, StringComparison.Ordinal)
            && ulong.TryParse(name.AsSpan(0, name.Length - Suffix.Length), NumberStyles.None, CultureInfo.InvariantCulture, out epoch)
            && name == FileName(epoch);
    }

    /// <summary>Encode gives the file's octets.</summary>
    public static byte[] Encode(EpochContent content)
    {
        ArgumentNullException.ThrowIfNull(content);
        LeafBatch leaves = content.Leaves;
        ReadOnlySpan<LeafRow> rows = leaves.Rows.Span;
        using var stream = new MemoryStream(
            Magic.Length + EpochRecord.Length + 8 + (rows.Length * LeafFixedLength) + leaves.Keys.Length + leaves.Values.Length
            + (content.Outcomes.Count * OutcomeMaxLength) + HashLength);
        var writer = new Writer(stream);
        writer.Octets(Magic);
        writer.Octets(content.Epoch.Record.Span);
        writer.UInt32((uint)rows.Length);
        for (int i = 0; i < rows.Length; i++)
        {
            ref readonly LeafRow row = ref rows[i];
            writer.UInt8((byte)row.Structure);
            writer.UInt64(row.Version);
            writer.Octets(row.Label);
            writer.Octets(row.Commitment);
            writer.Octets(row.Tag);
            writer.Octets(row.Opening);
            ReadOnlySpan<byte> key = leaves.Key(i).Span;
            writer.UInt8(checked((byte)key.Length));
            writer.Octets(key);
            if (row.ValueOffset == LeafRow.NoValue)
            {
                writer.UInt32(Erased);
            }
            else
            {
                writer.UInt32(row.ValueLength);
                writer.Octets(leaves.Values.Span.Slice(checked((int)row.ValueOffset), checked((int)row.ValueLength)));
            }
            writer.Guid(leaves.Origins.Span[i].RequestId);
            writer.UInt16(checked((ushort)leaves.Origins.Span[i].Item));
        }
        writer.UInt32((uint)content.Outcomes.Count);
        foreach (Outcome outcome in content.Outcomes)
        {
            if (outcome.BodyHash.Length != HashLength)
            {
                throw new ArgumentException("An outcome lacks its request's body hash.", nameof(content));
            }
            writer.Guid(outcome.RequestId);
            writer.Octets(outcome.BodyHash.Span);
            writer.UInt64((ulong)outcome.Sequence);
            writer.UInt16(checked((ushort)outcome.Item));
            if (outcome.Ordinal is { } ordinal)
            {
                writer.UInt8(0);
                writer.UInt32((uint)ordinal);
            }
            else
            {
                Refusal refusal = outcome.Refusal ?? throw new ArgumentException("An outcome has an ordinal or a refusal.", nameof(content));
                writer.UInt8(1);
                writer.UInt8((byte)refusal.Reason);
                writer.UInt16(checked((ushort)refusal.Item));
                writer.UInt64(refusal.Current.Period);
                writer.UInt64(refusal.Current.Version);
            }
        }
        writer.Octets(SHA256.HashData(stream.GetBuffer().AsSpan(0, (int)stream.Length)));
        return stream.ToArray();
    }

    /// <summary>Decode reads a bundle. Its checkpoint is empty. Throws <see cref="StorageCorruptException"/> for anything but a whole, undamaged one.</summary>
    public static EpochContent Decode(ReadOnlyMemory<byte> octets)
    {
        int body = octets.Length - HashLength;
        if (body < Magic.Length || !SHA256.HashData(octets.Span[..body]).AsSpan().SequenceEqual(octets.Span[body..]))
        {
            throw new StorageCorruptException("An epoch's bundle is damaged: its checksum is another.");
        }
        var reader = new Reader(octets[..body]);
        if (!reader.Octets(Magic.Length).Span.SequenceEqual(Magic))
        {
            throw new StorageCorruptException("A file among the epochs' bundles is none, or from a newer version.");
        }
        ReadOnlyMemory<byte> record = reader.Octets(EpochRecord.Length);
        ulong epoch = EpochRecord.Decode(record.Span).Epoch;
        LeafBatch leaves = ReadLeaves(ref reader, epoch);
        IReadOnlyList<Outcome> outcomes = ReadOutcomes(ref reader);
        reader.End();
        return new EpochContent(new EpochRow(epoch, record, EpochRecord.Hash(record.Span), default), leaves, outcomes);
    }

    private static LeafBatch ReadLeaves(ref Reader reader, ulong epoch)
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
            row.Structure = (StructureId)reader.UInt8();
            row.Version = reader.UInt64();
            row.Label = reader.Octets(32).Span;
            row.Commitment = reader.Octets(32).Span;
            row.Tag = reader.Octets(16).Span;
            row.Opening = reader.Octets(16).Span;
            row.Epoch = epoch;
            keys.Write(reader.Octets(reader.UInt8()).Span);
            keyEnds[i] = (int)keys.Length;
            uint length = reader.UInt32();
            row.ValueOffset = LeafRow.NoValue;
            if (length != Erased)
            {
                row.ValueOffset = (ulong)values.Length;
                row.ValueLength = length;
                values.Write(reader.Octets(checked((int)length)).Span);
            }
            origins[i] = new LeafOrigin(reader.Guid(), reader.UInt16());
        }
        return new LeafBatch(rows, values.ToArray(), keys.ToArray(), keyEnds, origins);
    }

    private static List<Outcome> ReadOutcomes(ref Reader reader)
    {
        int count = reader.Count(16 + HashLength + 8 + 2 + 1 + 4);
        var outcomes = new List<Outcome>(count);
        for (int i = 0; i < count; i++)
        {
            Guid requestId = reader.Guid();
            ReadOnlyMemory<byte> bodyHash = reader.Octets(HashLength);
            long sequence = (long)reader.UInt64();
            int item = reader.UInt16();
            Outcome outcome = reader.UInt8() == 0
                ? new Outcome(requestId, sequence, item, checked((int)reader.UInt32()), null)
                : new Outcome(
                    requestId, sequence, item, null,
                    new Refusal((RefusalReason)reader.UInt8(), reader.UInt16(), new ExpectedVersion(reader.UInt64(), reader.UInt64())));
            outcomes.Add(outcome with { BodyHash = bodyHash });
        }
        return outcomes;
    }

    private readonly struct Writer(MemoryStream stream)
    {
        public void Octets(ReadOnlySpan<byte> octets) => stream.Write(octets);

        public void UInt8(byte value) => stream.WriteByte(value);

        public void UInt16(ushort value)
        {
            Span<byte> octets = stackalloc byte[2];
            BinaryPrimitives.WriteUInt16BigEndian(octets, value);
            stream.Write(octets);
        }

        public void UInt32(uint value)
        {
            Span<byte> octets = stackalloc byte[4];
            BinaryPrimitives.WriteUInt32BigEndian(octets, value);
            stream.Write(octets);
        }

        public void UInt64(ulong value)
        {
            Span<byte> octets = stackalloc byte[8];
            BinaryPrimitives.WriteUInt64BigEndian(octets, value);
            stream.Write(octets);
        }

        public void Guid(Guid value) => stream.Write(value.ToByteArray(bigEndian: true));
    }

    private struct Reader(ReadOnlyMemory<byte> rest)
    {
        private ReadOnlyMemory<byte> _rest = rest;

        public ReadOnlyMemory<byte> Octets(int length)
        {
            if (length > _rest.Length)
            {
                throw new StorageCorruptException("An epoch's bundle ends too early.");
            }
            ReadOnlyMemory<byte> taken = _rest[..length];
            _rest = _rest[length..];
            return taken;
        }

        /// <summary>A number of elements of which each has at least so many octets: nothing is allocated for those that cannot be there.</summary>
        public int Count(int leastLength)
        {
            uint count = UInt32();
            return count <= _rest.Length / leastLength ? (int)count : throw new StorageCorruptException("An epoch's bundle ends too early.");
        }

        public byte UInt8() => Octets(1).Span[0];

        public ushort UInt16() => BinaryPrimitives.ReadUInt16BigEndian(Octets(2).Span);

        public uint UInt32() => BinaryPrimitives.ReadUInt32BigEndian(Octets(4).Span);

        public ulong UInt64() => BinaryPrimitives.ReadUInt64BigEndian(Octets(8).Span);

        public Guid Guid() => new(Octets(16).Span, bigEndian: true);

        public readonly void End()
        {
            if (!_rest.IsEmpty)
            {
                throw new StorageCorruptException("An epoch's bundle goes on after its end.");
            }
        }
    }
}
