namespace Optiks.Tlog;

/// <summary>Says that a log's tiles do not form the tree that the log's checkpoint commits to, or that a tile is missing.</summary>
public sealed class InvalidTileException : Exception
{
    /// <summary>Creates an exception with the path of the invalid file and the error.</summary>
    public InvalidTileException(TilePath path, TlogError error)
        : base($"{path}: {error}")
    {
        Path = path;
        Error = error;
    }

    /// <summary>The path of the invalid or missing file.</summary>
    public TilePath Path { get; }

    /// <summary>The error, one of the tile errors of <see cref="TlogError"/>.</summary>
    public TlogError Error { get; }
}
