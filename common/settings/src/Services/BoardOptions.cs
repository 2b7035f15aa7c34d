using System.ComponentModel.DataAnnotations;

namespace Optiks.ServiceDefaults;

/// <summary>Configures where query-service and update-service read the board (<c>Optiks:Board</c>; docs/operations/boards.md).</summary>
public sealed class BoardOptions
{
    /// <summary>The section of the configuration.</summary>
    public const string Section = "Optiks:Board";

    /// <summary>
    /// The URL below which the board's files are. It is the bucket to which the update-task copies it, a cache in front of that, or
    /// <c>/log</c> of another query-service.
    /// </summary>
    /// <value>Empty: the folder <c>board/log</c> of the data folder.</value>
    public string Url { get; set; } = "";

    /// <summary>The interval at which the checkpoint at the URL is read.</summary>
    /// <value>500 ms.</value>
    [Range(typeof(TimeSpan), "00:00:00.050", "00:05:00")]
    public TimeSpan PollInterval { get; set; } = TimeSpan.FromMilliseconds(500);

    /// <summary>The time limit for one answer, up to its last byte.</summary>
    /// <value>5 seconds.</value>
    [Range(typeof(TimeSpan), "00:00:00.100", "00:05:00")]
    public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How long the board at the URL may give no trusted answer before the service reports that it is not ready. Earlier answers stay in
    /// use.
    /// </summary>
    /// <value>30 seconds.</value>
    [Range(typeof(TimeSpan), "00:00:00", "1.00:00:00")]
    public TimeSpan UnreadyAfter { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>The URL, if there is one.</summary>
    internal Uri? Address => Url.Length == 0 ? null : new Uri(Url, UriKind.Absolute);
}
