namespace Optiks.Secrets;

/// <summary>
/// ServiceCredential is a secret that the service manager hands to this process alone (systemd's <c>LoadCredential=</c>): a file in the folder that <see cref="Variable"/> names.
/// </summary>
public static class ServiceCredential
{
    /// <summary>Variable that names the folder; the service manager sets it.</summary>
    public const string Variable = "CREDENTIALS_DIRECTORY";

    // Where systemd makes the folder of each service.
    private const string SystemFolder = "/run/credentials";

    /// <summary>PathOf a credential that was handed over; null when it was not.</summary>
    /// <param name="name">Such as <c>optiks.kek</c>.</param>
    /// <param name="environment">Gives the variables.</param>
    public static string? PathOf(string name, Func<string, string?> environment)
    {
        ArgumentNullException.ThrowIfNull(environment);
        return environment(Variable) is { Length: > 0 } folder && Path.Combine(folder, name) is var path && File.Exists(path) ? path : null;
    }

    /// <summary>
    /// AllowedModeOf is what the mode of a file with a secret may be at most. systemd may hand a credential over by an access control list, whose mask shows as the group's bits; its folder is closed to
    /// all others.
    /// </summary>
    /// <param name="path">Of the file; of this process's credentials, or of another service's.</param>
    /// <param name="environment">Gives the variables.</param>
    public static UnixFileMode AllowedModeOf(string path, Func<string, string?> environment)
    {
        ArgumentNullException.ThrowIfNull(environment);
        bool isCredential = IsOne(path, environment) || Path.GetDirectoryName(Path.GetDirectoryName(Path.GetFullPath(path))) == SystemFolder;
        return isCredential ? AtomicFile.PrivateMode | UnixFileMode.GroupRead : AtomicFile.PrivateMode;
    }

    /// <summary>IsOne says whether a path leads into the folder of credentials.</summary>
    internal static bool IsOne(string path, Func<string, string?> environment) =>
        environment(Variable) is { Length: > 0 } folder && Path.GetDirectoryName(Path.GetFullPath(path)) == Path.TrimEndingDirectorySeparator(Path.GetFullPath(folder));
}
