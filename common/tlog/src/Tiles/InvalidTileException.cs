namespace Optiks.Tlog;

/// <summary>Says that a log's tiles do not make up the tree that its checkpoint commits to, or that a tile is missing.</summary>
public sealed class InvalidTileException : Exception
{
    /// <summary>Takes the path and the error.</summary>
    public InvalidTileException(TilePath path, TlogError error)
        : base($"{path}: {error}")
    {
        Path = path;
        Error = error;
    }

    /// <summary>The path of the file.</summary>
    public TilePath Path { get; }

    /// <summary>The error, one of the tile errors of <see cref="TlogError"/>.</summary>
    public TlogError Error { get; }
}
