using System.ComponentModel.DataAnnotations;

namespace Optiks.ServiceDefaults;

/// <summary>BoardOptions (<c>Optiks:Board</c>) say where query-service and update-service read the board (docs/operations/boards.md).</summary>
public sealed class BoardOptions
{
    /// <summary>Section of the configuration.</summary>
    public const string Section = "Optiks:Board";

    /// <summary>Url below which the board's files are: of the bucket that the update-task copies it to, of what caches that, or <c>/log</c> of another query-service.</summary>
    /// <value>Empty: the folder <c>board/log</c> of the data folder.</value>
    public string Url { get; set; } = "";

    /// <summary>PollInterval is how often the checkpoint at the URL is looked at.</summary>
    /// <value>500 ms.</value>
    [Range(typeof(TimeSpan), "00:00:00.050", "00:05:00")]
    public TimeSpan PollInterval { get; set; } = TimeSpan.FromMilliseconds(500);

    /// <summary>Timeout of one answer, to its last octet.</summary>
    /// <value>5 seconds.</value>
    [Range(typeof(TimeSpan), "00:00:00.100", "00:05:00")]
    public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>UnreadyAfter is how long the board at the URL may give nothing that is believed before the service says that it is not ready. What it gave before still holds.</summary>
    /// <value>30 seconds.</value>
    [Range(typeof(TimeSpan), "00:00:00", "1.00:00:00")]
    public TimeSpan UnreadyAfter { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>Address is the URL, if there is one.</summary>
    internal Uri? Address => Url.Length == 0 ? null : new Uri(Url, UriKind.Absolute);
}
