namespace Optiks.Secrets;

/// <summary>
/// Finds secrets that the service manager gives to this process alone (systemd's <c>LoadCredential=</c>), as files in the folder that the
/// environment variable CREDENTIALS_DIRECTORY names.
/// </summary>
public static class ServiceCredential
{
    /// <summary>The environment variable that names the folder of credentials; the service manager sets it.</summary>
    public const string Variable = "CREDENTIALS_DIRECTORY";

    // The folder in which systemd makes a folder of credentials for each service.
    private const string SystemFolder = "/run/credentials";

    /// <summary>Returns the path of a credential, or null if the service manager did not provide it.</summary>
    /// <param name="name">The credential's name, such as <c>optiks.kek</c>.</param>
    /// <param name="environment">The function that returns the value of a variable.</param>
    public static string? FindPath(string name, Func<string, string?> environment)
    {
        ArgumentNullException.ThrowIfNull(environment);
        return environment(Variable) is { Length: > 0 } folder && Path.Combine(folder, name) is var path && File.Exists(path) ? path : null;
    }

    /// <summary>
    /// Returns the most permissive mode that a file with a secret may have. For a credential, this mode includes the group's bits: systemd
    /// may grant access by an access control list, and the list's mask appears in these bits. That is safe, because other users cannot
    /// enter the folder of credentials.
    /// </summary>
    /// <param name="path">The path of a file, which may be a credential of this process or of another service.</param>
    /// <param name="environment">The function that returns the value of a variable.</param>
    public static UnixFileMode GetAllowedMode(string path, Func<string, string?> environment)
    {
        ArgumentNullException.ThrowIfNull(environment);
        bool isCredential = IsOne(path, environment)
            || Path.GetDirectoryName(Path.GetDirectoryName(Path.GetFullPath(path))) == SystemFolder;
        return isCredential ? AtomicFile.PrivateMode | UnixFileMode.GroupRead : AtomicFile.PrivateMode;
    }

    /// <summary>Returns whether a path is in a folder of credentials.</summary>
    internal static bool IsOne(string path, Func<string, string?> environment) =>
        environment(Variable) is { Length: > 0 } folder
            && Path.GetDirectoryName(Path.GetFullPath(path)) == Path.TrimEndingDirectorySeparator(Path.GetFullPath(folder));
}
