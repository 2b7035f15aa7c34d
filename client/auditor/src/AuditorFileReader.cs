using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.Auditor;

/// <summary>Reads an auditor's configuration file (an <see cref="AuditorFile"/>) into settings.</summary>
internal static class AuditorFileReader
{
    /// <summary>Reads the file. Throws a <see cref="StartupException"/> that says what is wrong with the file.</summary>
    public static (AuditorSettings Settings, string? KeyFile) Read(string path, string defaultState, string defaultMark)
    {
        AuditorFile file;
        try
        {
            file = JsonSerializer.Deserialize(File.ReadAllBytes(path), AuditorJson.Default.AuditorFile)
                ?? throw new JsonException("It is null.");
        }
        catch (JsonException e)
        {
            throw new StartupException($"{path} is no configuration of an auditor: {ErrorText.Line(e.Message)}", e);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new StartupException($"{path} cannot be read: {e.Message}", e);
        }
        string folder = Path.GetDirectoryName(Path.GetFullPath(path))!;
        if (file.Logs.Length == 0 || file.Logs.Any(log => log is null || log.QueryUrls.Length == 0))
        {
            throw new StartupException($"{path}: at least one log is needed, and at least one of query_urls for each.");
        }
        var settings = new AuditorSettings
        {
            Logs = [.. file.Logs.Select(log => new AuditedLog
            {
                TrustAnchor = TrustAnchor.Load(Path.Combine(folder, log.Trust)),
                QueryUrls = [.. log.QueryUrls.Select(url => Url(url, "query_urls", path))],
                FirstEpoch = log.FirstEpoch,
            })],
            StateFolder = file.State is { } state ? Path.Combine(folder, state) : defaultState,
            MarkFolder = file.Mark is { } mark ? Path.Combine(folder, mark) : defaultMark,
            Urls = file.Urls ?? AuditorSettings.DefaultUrl,
            Interval = file.IntervalSeconds is { } seconds ? TimeSpan.FromSeconds(seconds) : AuditorSettings.DefaultInterval,
            Webhook = file.Webhook is { } hook ? Url(hook, "webhook", path) : null,
        };
        return (settings, file.KeyFile is { } key ? Path.Combine(folder, key) : null);
    }

    private static Uri Url(string text, string member, string path) =>
        Uri.TryCreate(text, UriKind.Absolute, out Uri? url) && url.Scheme is "http" or "https" && url.UserInfo.Length == 0
            ? url
            : throw new StartupException($"{path}: {member} has something that is not an http or https URL without a user.");
}
