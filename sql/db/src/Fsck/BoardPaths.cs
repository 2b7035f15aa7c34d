using Optiks.Storage;
using Optiks.Tlog;

namespace Optiks.Db.Fsck;

/// <summary>Builds the paths in a board's folder (<c>$OPTIKS_DATA/board</c>). docs/spec/board.md section 3 describes the subfolder
/// <c>log/</c>.</summary>
internal sealed class BoardPaths(string root)
{
    /// <summary>The folder with the board's public files.</summary>
    public string Log => Path.Combine(root, "log");

    /// <summary>The folder with the bundles of epochs and copies.</summary>
    public string Bundles => Path.Combine(root, "state", "bundles");

    /// <summary>The path of the file with the high-water mark.</summary>
    public string HighWater => Path.Combine(root, "state", "high-water");

    /// <summary>Returns the path of an epoch's audit proof.</summary>
    public string Audit(ulong epoch) => Path.Combine(Log, AuditProofPath.ForEpoch(epoch));

    /// <summary>Lists the bundles of epochs in a folder, in increasing order of epochs.</summary>
    public static IReadOnlyList<(ulong Epoch, string Path)> BundlesIn(string folder)
    {
        var bundles = new List<(ulong Epoch, string Path)>();
        foreach (string path in Directory.EnumerateFiles(folder))
        {
            if (EpochBundle.TryParseFileName(Path.GetFileName(path), out ulong epoch))
            {
                bundles.Add((epoch, path));
            }
        }
        bundles.Sort();
        return bundles;
    }

    /// <summary>Lists the bundles of copies in a folder, in the order in which they are restored.</summary>
    public static IReadOnlyList<(CopyBundleName Name, string Path)> CopyBundlesIn(string folder)
    {
        var bundles = new List<(CopyBundleName Name, string Path)>();
        foreach (string path in Directory.EnumerateFiles(folder))
        {
            if (CopyBundleName.TryParse(Path.GetFileName(path), out CopyBundleName name))
            {
                bundles.Add((name, path));
            }
        }
        bundles.Sort();
        return bundles;
    }
}
