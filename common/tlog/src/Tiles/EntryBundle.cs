using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;

namespace Optiks.Tlog;

/// <summary>Encodes and decodes entry bundles (C2SP tlog-tiles). A bundle has up to 256 consecutive entries; before each entry is its
/// length as a big-endian uint16.</summary>
public static class EntryBundle
{
    /// <summary>The greatest length of an entry in bytes.</summary>
    public const int MaxEntryLength = ushort.MaxValue;

    /// <summary>The greatest length of a bundle in bytes.</summary>
    public const int MaxLength = TilePath.FullWidth * (sizeof(ushort) + MaxEntryLength);

    /// <summary>Returns the encoded length of one entry, followed by the entry. Throws <see cref="ArgumentException"/> if the entry is too
    /// long.</summary>
    public static byte[] EncodeEntry(ReadOnlySpan<byte> entry)
    {
        if (entry.Length > MaxEntryLength)
        {
            throw new ArgumentException("An entry may have at most 65,535 bytes.", nameof(entry));
        }
        byte[] bytes = new byte[sizeof(ushort) + entry.Length];
        BinaryPrimitives.WriteUInt16BigEndian(bytes, (ushort)entry.Length);
        entry.CopyTo(bytes.AsSpan(sizeof(ushort)));
        return bytes;
    }

    /// <summary>
    /// Splits a bundle into its entries, which are slices of the bundle. The bundle must have exactly the number of entries that its path
    /// gives.
    /// </summary>
    public static bool TryParse(
        ReadOnlyMemory<byte> bundle, int numEntries, [NotNullWhen(true)] out IReadOnlyList<ReadOnlyMemory<byte>>? entries)
    {
        entries = null;
        if (numEntries is < 1 or > TilePath.FullWidth)
        {
            return false;
        }
        var parsed = new List<ReadOnlyMemory<byte>>(numEntries);
        ReadOnlyMemory<byte> rest = bundle;
        while (parsed.Count < numEntries)
        {
            if (!TryTakeEntry(ref rest, out ReadOnlyMemory<byte> entry))
            {
                return false;
            }
            parsed.Add(entry);
        }
        if (!rest.IsEmpty)
        {
            return false;
        }
        entries = parsed;
        return true;
    }

    /// <summary>
    /// Returns the beginning of a bundle, with its first entries only. A reader needs this if the server has only the full bundle and no
    /// longer the partial bundle.
    /// </summary>
    public static bool TryTrim(ReadOnlyMemory<byte> bundle, int numEntries, out ReadOnlyMemory<byte> trimmed)
    {
        trimmed = default;
        ReadOnlyMemory<byte> rest = bundle;
        for (int i = 0; i < numEntries; i++)
        {
            if (!TryTakeEntry(ref rest, out _))
            {
                return false;
            }
        }
        trimmed = bundle[..(bundle.Length - rest.Length)];
        return true;
    }

    private static bool TryTakeEntry(ref ReadOnlyMemory<byte> rest, out ReadOnlyMemory<byte> entry)
    {
        entry = default;
        if (rest.Length < sizeof(ushort))
        {
            return false;
        }
        int length = BinaryPrimitives.ReadUInt16BigEndian(rest.Span);
        if (rest.Length < sizeof(ushort) + length)
        {
            return false;
        }
        entry = rest.Slice(sizeof(ushort), length);
        rest = rest[(sizeof(ushort) + length)..];
        return true;
    }
}
