namespace Optiks.Db.Fsck;

/// <summary>The latest version of a key in its period, as its leaf or copy says.</summary>
/// <param name="Version">Version.</param>
/// <param name="Epoch">Epoch of the leaf; 0: it is a copy.</param>
/// <param name="Ordinal">The leaf's number within that epoch, or the copy's within its period.</param>
/// <param name="KeyHash">Hash of the key; 0: neither this version nor one before it has its value any more.</param>
/// <param name="ValueHash">Hash of the value; 0: it is gone.</param>
internal readonly record struct KeyState(ulong Version, ulong Epoch, int Ordinal, ulong KeyHash, ulong ValueHash)
{
    /// <summary>Source of a copy.</summary>
    public Optiks.Storage.CopySource Source { get; init; }
}
