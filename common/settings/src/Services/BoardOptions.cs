using System.ComponentModel.DataAnnotations;

namespace Optiks.ServiceDefaults;

/// <summary>Configures where query-service and update-service read the board (<c>Optiks:Board</c>; docs/operations/boards.md).</summary>
public sealed class BoardOptions
{
    /// <summary>The path of the section in the configuration.</summary>
    public const string Section = "Optiks:Board";

    /// <summary>
    /// The URL below which the service reads the board's files. It is the URL of the bucket to which the update-task copies the board, of a
    /// cache in front of the bucket, or of <c>/log</c> at another query-service. If the setting is empty, the service reads the folder
    /// <c>board/log</c> in the data folder.
    /// </summary>
    /// <value>The default is empty.</value>
    public string Url { get; set; } = "";

    /// <summary>The interval at which the service reads the checkpoint at the URL.</summary>
    /// <value>The default is 500 ms.</value>
    [Range(typeof(TimeSpan), "00:00:00.050", "00:05:00")]
    public TimeSpan PollInterval { get; set; } = TimeSpan.FromMilliseconds(500);

    /// <summary>The time limit for one answer of the server at the URL, up to the answer's last byte.</summary>
    /// <value>The default is 5 seconds.</value>
    [Range(typeof(TimeSpan), "00:00:00.100", "00:05:00")]
    public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// The time after which the service reports that it is not ready if the server at the URL has given no trusted answer. The service
    /// continues to use the earlier answers, even while it is not ready.
    /// </summary>
    /// <value>The default is 30 seconds.</value>
    [Range(typeof(TimeSpan), "00:00:00", "1.00:00:00")]
    public TimeSpan UnreadyAfter { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>The value of <see cref="Url"/> as a <see cref="Uri"/>; null if it is empty.</summary>
    internal Uri? Address => Url.Length == 0 ? null : new Uri(Url, UriKind.Absolute);
}
