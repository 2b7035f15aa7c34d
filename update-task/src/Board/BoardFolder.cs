using Optiks.Tlog;

namespace Optiks.UpdateTask.Board;

/// <summary>
/// Names the files below <c>board/</c>, on storage that all tasks of a log share. Anyone may read <c>log/</c>; only the operator may read
/// <c>state/</c>, whose bundles contain keys and values.
/// </summary>
internal sealed class BoardFolder
{
    public BoardFolder(DataFolder folder)
    {
        Data = folder;
        HighWater = HighWaterMark.PathIn(folder);
        State = Path.GetDirectoryName(HighWater)!;
    }

    /// <summary>The data folder that contains the board.</summary>
    public DataFolder Data { get; }

    /// <summary>The folder that query-service serves as <c>/log</c>.</summary>
    public string Log => Path.Combine(Data.Board, "log");

    /// <summary>The state folder.</summary>
    public string State { get; }

    /// <summary>The file with the high-water mark.</summary>
    public string HighWater { get; }

    /// <summary>The folder of bundles, with one file for each epoch.</summary>
    public string Bundles => Path.Combine(State, "bundles");

    /// <summary>Creates the missing folders.</summary>
    public void Create()
    {
        DataFolder.CreateFolder(Log);
        DataFolder.CreateFolder(Bundles);
    }

    /// <summary>
    /// Returns whether the board has a checkpoint. The board has no checkpoint if nothing was ever published here, or if the checkpoint was
    /// lost.
    /// </summary>
    public bool HasCheckpoint() => new DirectoryTileReader(Log).HasCheckpoint();

    /// <summary>Returns whether the board has tiles, even if their checkpoint is lost.</summary>
    public bool HasTiles() => Directory.Exists(Path.Combine(Log, "tile"));
}
