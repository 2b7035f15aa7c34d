using Optiks.Tlog;

namespace Optiks.UpdateTask.Board;

/// <summary>
/// BoardFolder names what lies below <c>board/</c>, on storage that all tasks of a log share: <c>log/</c>, which anyone may read, and <c>state/</c>, which only
/// the operator may (bundles hold keys and values).
/// </summary>
internal sealed class BoardFolder
{
    public BoardFolder(DataFolder folder)
    {
        Data = folder;
        HighWater = HighWaterMark.PathIn(folder);
        State = Path.GetDirectoryName(HighWater)!;
    }

    /// <summary>Data folder that it is in.</summary>
    public DataFolder Data { get; }

    /// <summary>Log is what query-service serves as <c>/log</c>.</summary>
    public string Log => Path.Combine(Data.Board, "log");

    /// <summary>State folder.</summary>
    public string State { get; }

    /// <summary>HighWater file.</summary>
    public string HighWater { get; }

    /// <summary>Bundles folder: one file an epoch.</summary>
    public string Bundles => Path.Combine(State, "bundles");

    /// <summary>Create makes what is missing.</summary>
    public void Create()
    {
        DataFolder.CreateFolder(Log);
        DataFolder.CreateFolder(Bundles);
    }

    /// <summary>HasCheckpoint tells whether anything was ever published here, or what was is still there.</summary>
    public bool HasCheckpoint() => new DirectoryTileReader(Log).HasCheckpoint();

    /// <summary>HasTiles tells whether tiles are there, whose checkpoint may be lost.</summary>
    public bool HasTiles() => Directory.Exists(Path.Combine(Log, "tile"));
}
