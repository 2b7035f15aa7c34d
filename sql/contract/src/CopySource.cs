namespace Optiks.Storage;

/// <summary>What a copy was made of: the latest version of a key in the period before.</summary>
/// <param name="Version">The version copied; 0: the row takes the key out again, and has no source.</param>
/// <param name="Epoch">Epoch that inserted the leaf of that version; 0: the version is itself a copy, of the period before.</param>
/// <param name="Ordinal">The leaf's number within that epoch, or the number of that copy.</param>
public readonly record struct CopySource(ulong Version, ulong Epoch, int Ordinal)
{
    /// <summary>IsDrop: the row takes a key out that was staged before.</summary>
    public bool IsDrop => Version == 0;
}
