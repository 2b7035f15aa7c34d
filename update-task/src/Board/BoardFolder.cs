using Optiks.Tlog;

namespace Optiks.UpdateTask.Board;

/// <summary>
/// Builds the paths of the files in the folder <c>board/</c>, which is on storage that all tasks of a log share. Anyone may read the
/// subfolder <c>log/</c>. Only the operator may read the subfolder <c>state/</c>, because its bundles contain users' keys and values.
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

    /// <summary>The folder with the log's public files, which the query-service serves under the URL path <c>/log</c>.</summary>
    public string Log => Path.Combine(Data.Board, "log");

    /// <summary>The state folder.</summary>
    public string State { get; }

    /// <summary>The file with the high-water mark.</summary>
    public string HighWater { get; }

    /// <summary>The folder of the bundles. It has one bundle file for each kept epoch, and the bundles of staged copies.</summary>
    public string Bundles => Path.Combine(State, "bundles");

    /// <summary>Creates the folders for the log's files and for the bundles, if they are missing.</summary>
    public void Create()
    {
        DataFolder.CreateFolder(Log);
        DataFolder.CreateFolder(Bundles);
    }

    /// <summary>
    /// Returns whether the board has a checkpoint file. The file is missing if no epoch was ever published in this folder, or if the file
    /// was lost.
    /// </summary>
    public bool HasCheckpoint() => new DirectoryTileReader(Log).HasCheckpoint();

    /// <summary>Returns whether the board has tiles. A board whose checkpoint is lost may still have them.</summary>
    public bool HasTiles() => Directory.Exists(Path.Combine(Log, "tile"));
}
