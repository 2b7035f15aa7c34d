namespace Optiks.Deploy.Tests;

/// <summary>Finds the folders of the tested files in the repository.</summary>
internal static class Repository
{
    /// <summary>The repository's root folder.</summary>
    public static string Root { get; } = FindRoot();

    /// <summary>The folder of the Kubernetes manifests.</summary>
    public static string Manifests { get; } = Path.Combine(Root, "deploy", "kubernetes");

    /// <summary>The folders except /tmp to which the programs in the images write their data and temporary files.</summary>
    public static IReadOnlyList<string> WrittenInImages { get; } = [.. new[] { "OPTIKS_DATA", "TMPDIR" }.Select(ImageVariable).Distinct()];

    private static string ImageVariable(string name) =>
        File.ReadLines(Path.Combine(Root, "deploy", "container", "Containerfile")).Select(line => line.Trim(' ', '\\').Split('='))
            .Single(parts => parts.Length == 2 && parts[0] == name)[1];

    private static string FindRoot()
    {
        for (DirectoryInfo? folder = new(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            if (File.Exists(Path.Combine(folder.FullName, "Optiks.slnx")))
            {
                return folder.FullName;
            }
        }
        throw new InvalidOperationException($"{AppContext.BaseDirectory} is not in the repository.");
    }
}
