namespace Optiks.QueryService.Following;

/// <summary>Names the files of the trees of one period. It accesses no file.</summary>
internal sealed class TreeFiles
{
    private const string FetchedSuffix = ".fetched";

    public TreeFiles(string folder)
    {
        Folder = folder;
        LeafLog = Path.Combine(folder, "leaves");
        Snapshot = Path.Combine(folder, SnapshotName);
        NodeStore = Path.Combine(folder, "nodes");
        FetchedLeafLog = LeafLog + FetchedSuffix;
        FetchedSnapshot = Snapshot + FetchedSuffix;
        FetchedNodeStore = NodeStore + FetchedSuffix;
    }

    /// <summary>The snapshot's name within the folder.</summary>
    public const string SnapshotName = "snapshot";

    /// <summary>The folder that contains all files.</summary>
    public string Folder { get; }

    /// <summary>The directory's leaf log.</summary>
    public string LeafLog { get; }

    /// <summary>The snapshot of the trees, which belongs to the leaf log.</summary>
    public string Snapshot { get; }

    /// <summary>The trees in stored mode, which belong to the leaf log.</summary>
    public string NodeStore { get; }

    /// <summary>Another replica's leaf log until this replica adopts it.</summary>
    public string FetchedLeafLog { get; }

    /// <summary>Another replica's snapshot until this replica adopts it.</summary>
    public string FetchedSnapshot { get; }

    /// <summary>The node store made from another replica's snapshot in stored mode, until this replica adopts it.</summary>
    public string FetchedNodeStore { get; }
}
