namespace Optiks.Db.Fsck;

/// <summary>The latest version of a key in its period, according to its leaf or copy.</summary>
/// <param name="Version">The number of the version.</param>
/// <param name="Epoch">The epoch that inserted the leaf; 0 if it is a copy.</param>
/// <param name="Ordinal">The leaf's number within that epoch, or the copy's number within its period.</param>
/// <param name="KeyHash">A hash of the key; 0 if neither this version nor an earlier one still has its value.</param>
/// <param name="ValueHash">A hash of the value; 0 if the value was erased or destroyed.</param>
internal readonly record struct LatestVersion(ulong Version, ulong Epoch, int Ordinal, ulong KeyHash, ulong ValueHash)
{
    /// <summary>The source of the copy, if this version is a copy; otherwise without meaning.</summary>
    public Optiks.Storage.CopySource Source { get; init; }
}
