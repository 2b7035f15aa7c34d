namespace Optiks.QueryService.Following;

/// <summary>Names the files of the trees of one period. Touches nothing.</summary>
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

    /// <summary>SnapshotName within the folder.</summary>
    public const string SnapshotName = "snapshot";

    /// <summary>Folder of them all.</summary>
    public string Folder { get; }

    /// <summary>LeafLog of the directory.</summary>
    public string LeafLog { get; }

    /// <summary>Snapshot of the trees, which belongs to the leaf log.</summary>
    public string Snapshot { get; }

    /// <summary>NodeStore: the trees in stored mode, which belong to the leaf log.</summary>
    public string NodeStore { get; }

    /// <summary>FetchedLeafLog is another replica's leaf log, until it is this one's.</summary>
    public string FetchedLeafLog { get; }

    /// <summary>FetchedSnapshot is another replica's snapshot, until it is this one's.</summary>
    public string FetchedSnapshot { get; }

    /// <summary>What was made of another replica's snapshot in stored mode, until it is this one's.</summary>
    public string FetchedNodeStore { get; }
}
