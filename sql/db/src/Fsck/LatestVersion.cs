namespace Optiks.Db.Fsck;

/// <summary>The latest version of a key in its period, according to its leaf or copy.</summary>
/// <param name="Version">The version.</param>
/// <param name="Epoch">Epoch of the leaf; 0: it is a copy.</param>
/// <param name="Ordinal">The leaf's number within that epoch, or the copy's number within its period.</param>
/// <param name="KeyHash">Hash of the key; 0 when neither this version nor an earlier one still has its value.</param>
/// <param name="ValueHash">Hash of the value; 0 when the value is gone.</param>
internal readonly record struct LatestVersion(ulong Version, ulong Epoch, int Ordinal, ulong KeyHash, ulong ValueHash)
{
    /// <summary>The source of the copy; meaningful only if this version is a copy.</summary>
    public Optiks.Storage.CopySource Source { get; init; }
}
