namespace Optiks.Deploy.Tests;

/// <summary>Repository finds the files that are tested: they are read where they are, as an operator applies them.</summary>
internal static class Repository
{
    /// <summary>Root folder.</summary>
    public static string Root { get; } = FindRoot();

    /// <summary>Manifests is the folder of what is for Kubernetes.</summary>
    public static string Manifests { get; } = Path.Combine(Root, "deploy", "kubernetes");

    /// <summary>WrittenInImages are the folders that the images' programs write to besides /tmp: what they keep, and files that they need for a while.</summary>
    public static IReadOnlyList<string> WrittenInImages { get; } = [.. new[] { "OPTIKS_DATA", "TMPDIR" }.Select(ImageVariable).Distinct()];

    private static string ImageVariable(string name) =>
        File.ReadLines(Path.Combine(Root, "deploy", "container", "Containerfile")).Select(line => line.Trim(' ', '\\').Split('=')).Single(parts => parts.Length == 2 && parts[0] == name)[1];

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
