using Microsoft.Extensions.Configuration;

namespace Optiks.Settings;

/// <summary>
/// Reads settings from a file, which is either JSON like appsettings.json, or lines as in systemd's EnvironmentFile.
/// </summary>
public static class ConfigurationFile
{
    private const int MostOctets = 1 << 20;

    /// <summary>
    /// Adds a file to a configuration, whose earlier values the file overrides. Throws <see cref="StartupException"/> if the file cannot be
    /// read or has neither of the two forms.
    /// </summary>
    public static void AddTo(IConfigurationBuilder builder, string path)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(path);
        try
        {
            byte[] octets = Read(path);
            if (path.EndsWith(".json", StringComparison.OrdinalIgnoreCase))
            {
                // The file is parsed here, and the configuration gets its contents, so that errors can name the file.
                builder.AddConfiguration(new ConfigurationBuilder().AddJsonStream(new MemoryStream(octets)).Build());
            }
            else
            {
                builder.AddInMemoryCollection(Variables(System.Text.Encoding.UTF8.GetString(octets), path));
            }
        }
        catch (Exception e) when (e is FormatException or InvalidDataException or System.Text.Json.JsonException)
        {
            throw new StartupException($"{path} is not a JSON file of settings: {ErrorText.Line(e.Message)}", e);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new StartupException(ErrorText.Line(e.Message), e);
        }
    }

    private static byte[] Read(string path)
    {
        using var file = new FileStream(path, new FileStreamOptions { BufferSize = 0 });
        if (file.Length > MostOctets)
        {
            throw new StartupException($"{path} has {file.Length} bytes, too many for a file of settings.");
        }
        byte[] octets = new byte[file.Length];
        file.ReadExactly(octets);
        return octets;
    }

    // Parses the lines of an EnvironmentFile (systemd.exec(5)). Comments begin with # or ;, and values may be in quotes.
    private static Dictionary<string, string?> Variables(string text, string path)
    {
        var variables = new Dictionary<string, string?>(StringComparer.OrdinalIgnoreCase);
        string[] lines = text.Split('\n');
        for (int i = 0; i < lines.Length; i++)
        {
            string line = lines[i].Trim();
            if (line.Length == 0 || line[0] is '#' or ';')
            {
                continue;
            }
            int equals = line.IndexOf('=', StringComparison.Ordinal);
            if (equals <= 0)
            {
                throw new StartupException($"{path}: line {i + 1} is not NAME=VALUE. The name of a JSON file must end with .json.");
            }
            string value = line[(equals + 1)..];
            variables[line[..equals].TrimEnd().Replace("__", ":", StringComparison.Ordinal)] = value is ['"', .., '"'] or ['\'', .., '\'']
                ? value[1..^1]
                : value;
        }
        return variables;
    }
}
