using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;

namespace Optiks.Tlog;

/// <summary>Encodes and decodes up to 256 consecutive entries, each after its length as a big-endian uint16 (C2SP tlog-tiles).</summary>
public static class EntryBundle
{
    /// <summary>The longest entry in bytes.</summary>
    public const int MaxEntryLength = ushort.MaxValue;

    /// <summary>The longest bundle in bytes.</summary>
    public const int MaxLength = TilePath.FullWidth * (sizeof(ushort) + MaxEntryLength);

    /// <summary>Returns one entry with its length before it. Throws <see cref="ArgumentException"/> if the entry is too long.</summary>
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
    /// Splits a bundle into exactly the number of entries that the bundle's path gives. The entries are views of the bundle.
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
    /// Cuts a bundle down to its first entries. The result is a partial bundle, which a reader needs if only the full bundle is still
    /// served.
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
