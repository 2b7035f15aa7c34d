namespace Optiks.Secrets;

/// <summary>
/// ServiceCredential is a secret that the service manager hands to this process alone (systemd's <c>LoadCredential=</c>): a file in the folder that <see cref="Variable"/> names.
/// </summary>
public static class ServiceCredential
{
    /// <summary>Variable that names the folder; the service manager sets it.</summary>
    public const string Variable = "CREDENTIALS_DIRECTORY";

    /// <summary>PathOf a credential that was handed over; null when it was not.</summary>
    /// <param name="name">Such as <c>optiks.kek</c>.</param>
    /// <param name="environment">Gives the variables.</param>
    public static string? PathOf(string name, Func<string, string?> environment)
    {
        ArgumentNullException.ThrowIfNull(environment);
        return environment(Variable) is { Length: > 0 } folder && Path.Combine(folder, name) is var path && File.Exists(path) ? path : null;
    }

    /// <summary>IsOne says whether a path leads into the folder of credentials.</summary>
    internal static bool IsOne(string path, Func<string, string?> environment) =>
        environment(Variable) is { Length: > 0 } folder && Path.GetDirectoryName(Path.GetFullPath(path)) == Path.TrimEndingDirectorySeparator(Path.GetFullPath(folder));
}
