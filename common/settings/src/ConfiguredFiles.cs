using Microsoft.Extensions.Configuration;
using Optiks.Protocol;
using Optiks.Secrets;

namespace Optiks.Settings;

/// <summary>
/// Checks that the files that a configuration names exist and can be read, and that only the owner can read files with keys.
/// </summary>
internal static class ConfiguredFiles
{
    /// <summary>Checks the files that the settings of a section name.</summary>
    public static IEnumerable<ConfigurationProblem> Find(SettingsSection section, IConfiguration configuration)
    {
        foreach (ServiceSetting setting in ServiceSetting.List(section.Options).Where(setting => setting.File != SettingFile.None))
        {
            string name = $"{section.Path}:{setting.Name}";
            if (Look(configuration, name, configuration[name], setting.File) is { } problem)
            {
                yield return problem;
            }
        }
    }

    /// <summary>Checks the files with certificates and their keys that Kestrel's settings name.</summary>
    public static IEnumerable<ConfigurationProblem> FindCertificates(IConfiguration configuration)
    {
        IEnumerable<IConfigurationSection> certificates = configuration.GetSection("Kestrel:Certificates").GetChildren()
            .Concat(configuration.GetSection("Kestrel:Endpoints").GetChildren().Select(endpoint => endpoint.GetSection("Certificate")));
        foreach (IConfigurationSection certificate in certificates)
        {
            // If `KeyPath` is set, the certificate's key is in another file. Otherwise the certificate's file is a PFX file, which also
            // contains the key.
            SettingFile kind = certificate["KeyPath"] is { Length: > 0 } ? SettingFile.Public : SettingFile.Secret;
            ConfigurationProblem?[] problems = [Look(configuration, $"{certificate.Path}:Path", certificate["Path"], kind),
                Look(configuration, $"{certificate.Path}:KeyPath", certificate["KeyPath"], SettingFile.Secret)];
            foreach (ConfigurationProblem problem in problems.OfType<ConfigurationProblem>())
            {
                yield return problem;
            }
        }
    }

    /// <summary>Checks the data folder and the keys that already exist in it.</summary>
    public static IEnumerable<ConfigurationProblem> FindSecrets(IConfiguration configuration)
    {
        DataFolder? folder = null;
        string? blank = null;
        try
        {
            folder = configuration[DataFolder.Variable] is { Length: > 0 } path ? new DataFolder(path) : DataFolder.Default();
        }
        catch (StartupException e)
        {
            blank = e.Message;
        }
        if (folder is null)
        {
            return [new ConfigurationProblem(ConfigurationProblemKind.File, DataFolder.Variable, blank!)];
        }
        return File.Exists(folder.Root)
            ? [new ConfigurationProblem(
                ConfigurationProblemKind.File, DataFolder.Variable, $"{folder.Root} is a file: {DataFolder.Variable} must name a folder.")]
            : ((string[])[folder.KeyEncryptionKey, folder.LogKey, folder.ApiKeys, folder.ApiKey]).Where(File.Exists)
                .Select(path => Look(configuration, DataFolder.Variable, path, SettingFile.Secret)).OfType<ConfigurationProblem>();
    }

    private static ConfigurationProblem? Look(IConfiguration configuration, string setting, string? path, SettingFile kind)
    {
        if (string.IsNullOrWhiteSpace(path))
        {
            return null;
        }
        try
        {
            using (FileStream file = File.OpenRead(path))
            {
                UnixFileMode open = File.GetUnixFileMode(file.SafeFileHandle) & ~ServiceCredential.GetAllowedMode(
                    path, variable => configuration[variable]);
                if (kind == SettingFile.Secret && open != 0)
                {
                    return new ConfigurationProblem(
                        ConfigurationProblemKind.File, setting,
                        $"{path} holds a key and is open to other users: run 'chmod 600 {path}', and replace the key if someone may have read it.");
                }
            }
            if (kind == SettingFile.Policy)
            {
                // The check accepts any number of cosigners, because the program itself limits the number of cosigners that it asks.
                _ = PolicyFile.Load(setting, path, "cosigners", int.MaxValue);
            }
            return null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or StartupException)
        {
            return new ConfigurationProblem(ConfigurationProblemKind.File, setting, ErrorText.Line(e.Message));
        }
    }
}
