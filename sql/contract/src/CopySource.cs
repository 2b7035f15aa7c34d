namespace Optiks.Storage;

/// <summary>The source of a copy: the latest version of a key in the period before.</summary>
/// <param name="Version">The copied version; 0: the row takes the key out again and has no source.</param>
/// <param name="Epoch">Epoch that inserted that version's leaf; 0: the version is itself a copy in the period before.</param>
/// <param name="Ordinal">The leaf's number within that epoch, or the number of that copy.</param>
public readonly record struct CopySource(ulong Version, ulong Epoch, int Ordinal)
{
    /// <summary>Whether the row takes out a key that was staged before.</summary>
    public bool IsDrop => Version == 0;
}
