using Optiks.Storage;
using Optiks.UpdateTask.Board;

namespace Optiks.UpdateTask.Tests.Support;

/// <summary>Reads and checks the bundles of a period's copies.</summary>
internal static class CopyBundles
{
    /// <summary>Returns the bundles of a period in any order.</summary>
    public static IEnumerable<CopyBundle> Read(TestFolder folder, ulong period) =>
        Directory.EnumerateFiles(new BoardFolder(folder.Data).Bundles)
        .Where(path => CopyBundleName.TryParse(Path.GetFileName(path), out CopyBundleName name) && name.Period == period)
        .Select(path => CopyBundle.Decode(File.ReadAllBytes(path)));

    /// <summary>Checks that the bundles of a period cover all of its copies.</summary>
    public static void Check(TestFolder folder, ulong period, int copies)
    {
        int end = 0;
        foreach (CopyBundle bundle in Read(folder, period).OrderBy(bundle => bundle.Copies.First).ThenBy(bundle => bundle.Copies.End))
        {
            Assert.True(bundle.Copies.First <= end);
            Assert.Equal(bundle.Copies.First > 0, bundle.WrappedSecrets.IsEmpty);
            end = bundle.Copies.End;
        }
        Assert.Equal(copies, end);
    }
}
