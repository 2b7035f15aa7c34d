namespace Optiks.Tlog;

/// <summary>
/// Reads tiles as C2SP tlog-tiles requires of clients: if a partial tile no longer exists, the class reads the full tile and returns its
/// beginning. It checks only lengths.
/// </summary>
internal static class TileFetch
{
    public static async Task<TreeHash[]> HashesAsync(ITileReader reader, TilePath path, CancellationToken cancellationToken)
    {
        byte[] bytes = await BytesAsync(reader, path, CutTile, cancellationToken).ConfigureAwait(false);
        if (bytes.Length != path.Width * TreeHash.Length)
        {
            throw new InvalidTileException(path, TlogError.BadTileLength);
        }
        return ToHashes(bytes);
    }

    public static async Task<IReadOnlyList<ReadOnlyMemory<byte>>> EntriesAsync(
        ITileReader reader, TilePath path, CancellationToken cancellationToken)
    {
        byte[] bytes = await BytesAsync(reader, path, CutBundle, cancellationToken).ConfigureAwait(false);
        return EntryBundle.TryParse(bytes, path.Width, out IReadOnlyList<ReadOnlyMemory<byte>>? entries)
            ? entries
            : throw new InvalidTileException(path, TlogError.BadTileLength);
    }

    public static TreeHash[] ToHashes(ReadOnlySpan<byte> bytes)
    {
        var hashes = new TreeHash[bytes.Length / TreeHash.Length];
        for (int i = 0; i < hashes.Length; i++)
        {
            hashes[i] = TreeHash.FromBytes(bytes.Slice(i * TreeHash.Length, TreeHash.Length));
        }
        return hashes;
    }

    private static async Task<byte[]> BytesAsync(
        ITileReader reader, TilePath path, Func<byte[], int, byte[]?> cut, CancellationToken cancellationToken)
    {
        byte[]? bytes = await reader.ReadTileAsync(path, cancellationToken).ConfigureAwait(false);
        if (bytes is not null)
        {
            return bytes;
        }
        byte[]? full = path.IsFull ? null : await reader.ReadTileAsync(path.Full(), cancellationToken).ConfigureAwait(false);
        if (full is null)
        {
            throw new InvalidTileException(path, TlogError.TileMissing);
        }
        return cut(full, path.Width) ?? throw new InvalidTileException(path.Full(), TlogError.BadTileLength);
    }

    private static byte[]? CutTile(byte[] full, int width) =>
        full.Length == TilePath.FullWidth * TreeHash.Length ? full[..(width * TreeHash.Length)] : null;

    private static byte[]? CutBundle(byte[] full, int width) =>
        EntryBundle.TryParse(full, TilePath.FullWidth, out _) && EntryBundle.TryTrim(full, width, out ReadOnlyMemory<byte> trimmed)
            ? trimmed.ToArray()
            : null;
}
