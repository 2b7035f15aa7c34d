namespace Optiks.Tlog;

/// <summary>
/// InvalidTileException says that a log's tiles do not make up the tree that its checkpoint commits to, or that one is missing.
/// </summary>
public sealed class InvalidTileException : Exception
{
    /// <summary>InvalidTileException for a path.</summary>
    public InvalidTileException(TilePath path, TlogError error)
        : base($"{path}: {error}")
    {
        Path = path;
        Error = error;
    }

    /// <summary>Path of the file.</summary>
    public TilePath Path { get; }

    /// <summary>Error is one of the tile errors of <see cref="TlogError"/>.</summary>
    public TlogError Error { get; }
}
