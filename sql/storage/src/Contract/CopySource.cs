namespace Optiks.Storage;

/// <summary>The source of a copy: the leaf in the previous period whose version the copy repeats.</summary>
/// <param name="Version">The number of the copied version; 0 if the row removes the key's earlier copy and has no source.</param>
/// <param name="Epoch">The epoch that inserted that version's leaf; 0 if the version is itself a copy in the previous period.</param>
/// <param name="Ordinal">The leaf's number within that epoch, or the number of that copy.</param>
public readonly record struct CopySource(ulong Version, ulong Epoch, int Ordinal)
{
    /// <summary>Whether the row removes the copy of a key that an earlier row staged.</summary>
    public bool IsDrop => Version == 0;
}
