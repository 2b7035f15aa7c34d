namespace Optiks.QueryService.Following;

/// <summary>Names the files of one period's trees. Does not access the files.</summary>
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

    /// <summary>The file name of the snapshot within the folder.</summary>
    public const string SnapshotName = "snapshot";

    /// <summary>The folder that contains all of these files.</summary>
    public string Folder { get; }

    /// <summary>The path of the directory's leaf log.</summary>
    public string LeafLog { get; }

    /// <summary>The path of the trees' snapshot, which belongs to the leaf log.</summary>
    public string Snapshot { get; }

    /// <summary>The path of the node store in stored mode, which belongs to the leaf log.</summary>
    public string NodeStore { get; }

    /// <summary>The path of a leaf log that was fetched from another replica, until this replica adopts it.</summary>
    public string FetchedLeafLog { get; }

    /// <summary>The path of a snapshot that was fetched from another replica, until this replica adopts it.</summary>
    public string FetchedSnapshot { get; }

    /// <summary>The path of the node store that was made in stored mode from a fetched snapshot, until this replica adopts it.</summary>
    public string FetchedNodeStore { get; }
}
