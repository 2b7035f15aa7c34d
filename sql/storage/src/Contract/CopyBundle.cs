using System.Security.Cryptography;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>
/// Encodes and decodes the rows of copies that one transaction staged, as one file in the folder that also contains the bundles of epochs
/// (<see cref="EpochBundle"/>). The file reaches the disk before the bundle of the switch is written. A period's first bundle of copies
/// also holds the period's secrets. The file holds keys, values and openings, so only the operator may read it.
/// </summary>
/// <remarks>
/// <para>The file has these fields (integers are big-endian, and lengths in bytes are in parentheses): the magic text <c>optiks copies
/// 1\n</c>; last committed epoch (8); period (8); number of the first row (4); wrapped secrets (length 4, bytes; empty unless that number
/// is 0); number of rows (4); for each row: structure (1), label (32), commitment (32), tag (16), copied version (8) and, unless that
/// version is 0, epoch (8) and ordinal (4) of the source, opening (16), key (length 1, bytes; empty when erased), value (length 4, bytes;
/// 2^32-1 when erased); finally the SHA-256 of everything before it (32).</para>
/// </remarks>
/// <param name="After">The last committed epoch: the rows were staged between that epoch and the next epoch.</param>
/// <param name="WrappedSecrets">The period's secrets in the bundle of its first rows; empty in other bundles.</param>
/// <param name="Copies">The rows. The list is empty if the period begins without copies.</param>
public sealed record CopyBundle(ulong After, ReadOnlyMemory<byte> WrappedSecrets, CopyBatch Copies)
{
    private const uint Erased = uint.MaxValue;
    private const int HashLength = 32;
    private const int DropLength = 1 + 32 + 32 + 16 + 8;

    private static ReadOnlySpan<byte> Magic => "optiks copies 1\n"u8;

    /// <summary>The name of the file.</summary>
    public CopyBundleName Name => new(After, Copies.Period, Copies.First);

    /// <summary>
    /// Returns a copy of the bundle that lacks the values, openings and keys of the rows with these numbers. Returns null when these rows
    /// already lack them.
    /// </summary>
    public CopyBundle? Without(IReadOnlySet<int> numbers)
    {
        ArgumentNullException.ThrowIfNull(numbers);
        LeafRow[] rows = Copies.Rows.ToArray();
        int[] keyEnds = new int[rows.Length];
        var keys = new MemoryStream(Copies.Keys.Length);
        var values = new MemoryStream(Copies.Values.Length);
        bool any = false;
        for (int i = 0; i < rows.Length; i++)
        {
            ref LeafRow row = ref rows[i];
            if (row.ValueOffset != LeafRow.NoValue)
            {
                ReadOnlyMemory<byte> value = Copies.Value(i);
                if (numbers.Contains(Copies.First + i))
                {
                    any = true;
                    row.Opening = new byte[Lengths.Opening];
                    (row.ValueOffset, row.ValueLength) = (LeafRow.NoValue, 0);
                }
                else
                {
                    row.ValueOffset = (ulong)values.Length;
                    values.Write(value.Span);
                    keys.Write(Copies.Key(i).Span);
                }
            }
            keyEnds[i] = (int)keys.Length;
        }
        return any
            ? this with { Copies = Copies with { Rows = rows, Values = values.ToArray(), Keys = keys.ToArray(), KeyEnds = keyEnds } }
            : null;
    }

    /// <summary>Returns the bytes of the file.</summary>
    public ReadOnlyMemory<byte> Encode()
    {
        var writer = new OctetWriter(
            Magic.Length + 64 + WrappedSecrets.Length + (Copies.Rows.Length * (DropLength + 40)) + Copies.Keys.Length
                + Copies.Values.Length);
        writer.Octets(Magic);
        writer.U64(After);
        writer.U64(Copies.Period);
        writer.U32((uint)Copies.First);
        writer.U32((uint)WrappedSecrets.Length);
        writer.Octets(WrappedSecrets.Span);
        writer.U32((uint)Copies.Rows.Length);
        for (int i = 0; i < Copies.Rows.Length; i++)
        {
            ref readonly LeafRow row = ref Copies.Rows.Span[i];
            CopySource source = Copies.Sources.Span[i];
            writer.U8((byte)row.Structure);
            writer.Octets(row.Label);
            writer.Octets(row.Commitment);
            writer.Octets(row.Tag);
            writer.U64(source.Version);
            if (source.IsDrop)
            {
                continue;
            }
            writer.U64(source.Epoch);
            writer.U32((uint)source.Ordinal);
            writer.Octets(row.Opening);
            ReadOnlySpan<byte> key = Copies.Key(i).Span;
            writer.U8(checked((byte)key.Length));
            writer.Octets(key);
            if (row.ValueOffset == LeafRow.NoValue)
            {
                writer.U32(Erased);
                continue;
            }
            writer.U32(row.ValueLength);
            writer.Octets(Copies.Value(i).Span);
        }
        writer.Octets(SHA256.HashData(writer.Written.Span));
        return writer.Written;
    }

    /// <summary>Reads a bundle. Throws <see cref="StorageCorruptException"/> unless the bundle is complete and undamaged.</summary>
    public static CopyBundle Decode(ReadOnlyMemory<byte> octets)
    {
        int body = octets.Length - HashLength;
        if (body < Magic.Length || !SHA256.HashData(octets.Span[..body]).AsSpan().SequenceEqual(octets.Span[body..]))
        {
            throw new StorageCorruptException("A bundle of copies is damaged: its checksum does not match.");
        }
        var reader = new OctetReader(octets[..body], "A bundle of copies ends too early.");
        if (!reader.Octets(Magic.Length).Span.SequenceEqual(Magic))
        {
            throw new StorageCorruptException("A file among the bundles of copies is not a bundle, or is from a newer version.");
        }
        ulong after = reader.U64();
        ulong period = reader.U64();
        uint first = reader.U32();
        ReadOnlyMemory<byte> secrets = reader.Octets(reader.U32());
        CopyBatch? copies = first <= int.MaxValue ? ReadCopies(ref reader, period, (int)first) : null;
        return copies is not null && reader.IsEmpty && (first == 0) != secrets.IsEmpty
            ? new CopyBundle(after, secrets, copies)
            : throw new StorageCorruptException("A bundle of copies has data after its end, or secrets where they do not belong.");
    }

    private static CopyBatch ReadCopies(ref OctetReader reader, ulong period, int first)
    {
        int count = reader.Count(DropLength);
        var rows = new LeafRow[count];
        var sources = new CopySource[count];
        int[] keyEnds = new int[count];
        var keys = new MemoryStream();
        var values = new MemoryStream();
        for (int i = 0; i < count; i++)
        {
            ref LeafRow row = ref rows[i];
            row.Structure = (StructureId)reader.U8();
            row.Label = reader.Octets(32).Span;
            row.Commitment = reader.Octets(32).Span;
            row.Tag = reader.Octets(16).Span;
            row.ValueOffset = LeafRow.NoValue;
            ulong version = reader.U64();
            if (version > 0)
            {
                row.Version = 1;
                sources[i] = new CopySource(version, reader.U64(), (int)reader.U32());
                row.Opening = reader.Octets(16).Span;
                keys.Write(reader.Octets(reader.U8()).Span);
                uint length = reader.U32();
                if (length != Erased)
                {
                    row.ValueOffset = (ulong)values.Length;
                    row.ValueLength = length;
                    values.Write(reader.Octets(length).Span);
                }
            }
            keyEnds[i] = (int)keys.Length;
        }
        return new CopyBatch(period, first, rows, sources, values.ToArray(), keys.ToArray(), keyEnds);
    }
}
