using System.Reflection;

namespace Optiks;

/// <summary>
/// Holds the version of this build, which every program can print. It consists of the version number in <c>Directory.Build.props</c> and
/// the commit that was built.
/// </summary>
public static class ProductVersion
{
    private const int ShortCommitLength = 12;

    /// <summary>The version number, such as <c>0.1.0</c>.</summary>
    public static string Number { get; } = Informational().Split('+')[0];

    /// <summary>The commit that was built, 40 hexadecimal digits; null if the build did not come from a repository.</summary>
    public static string? Commit { get; } = Informational().Split('+') is [_, { Length: > 0 } commit] ? commit : null;

    /// <summary>The text that programs show to people, such as <c>0.1.0 (commit 1e9fdf0a2b3c)</c>.</summary>
    public static string Text { get; } = Commit is null
        ? Number
        : $"{Number} (commit {Commit[..Math.Min(ShortCommitLength, Commit.Length)]})";

    // The build writes the version into the assembly in the form `number+commit`.
    private static string Informational() =>
        typeof(ProductVersion).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion;
}
