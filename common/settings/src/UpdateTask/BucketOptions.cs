using System.ComponentModel.DataAnnotations;

namespace Optiks.UpdateTask.Options;

/// <summary>
/// Configures the bucket to which the update-task copies the board. The bucket is in S3 or in a storage with the same protocol
/// (<c>Optiks:Bucket</c>; docs/operations/buckets.md). The task finds credentials in the same places as other AWS programs, such as the
/// environment variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. All settings may change at every start.
/// </summary>
internal sealed class BucketOptions
{
    public const string Section = "Optiks:Bucket";

    /// <summary>The name of the bucket, which must exist. If the setting is empty, the task does not copy the board.</summary>
    /// <value>The default is empty.</value>
    public string Name { get; set; } = "";

    /// <summary>The prefix of the keys of all objects, such as <c>optiks/</c>. The names of the board's files follow it.</summary>
    [RegularExpression("([A-Za-z0-9._-]+/)*",
        ErrorMessage = "Optiks:Bucket:Prefix must be empty, or names of letters, digits, '.', '_' and '-' that each end with '/'.")]
    public string Prefix { get; set; } = "";

    /// <summary>The URL of the storage, if it is not Amazon's. If the setting is empty, the storage is Amazon's, in the given
    /// region.</summary>
    /// <value>The default is empty.</value>
    public string ServiceUrl { get; set; } = "";

    /// <summary>The region of the bucket. Requests to a storage other than Amazon's are signed for this region too.</summary>
    [Required]
    public string Region { get; set; } = "us-east-1";

    /// <summary>
    /// Whether the bucket's name is in the path of URLs and not in the host name. Most storages other than Amazon's require this.
    /// </summary>
    public bool PathStyle { get; set; }

    /// <summary>
    /// Whether the task stores the high-water mark in the bucket before it signs each epoch. If it does, several tasks need no common
    /// folder, and a task on a new host makes its folder anew; but no epochs are made while the bucket fails. If the bucket
    /// does not have the mark, the tasks must share the folder <c>board</c>.
    /// </summary>
    /// <value>The default is false.</value>
    public bool KeepsMark { get; set; }

    /// <summary>The time limit for one request to the storage, up to the last byte of the answer.</summary>
    /// <value>The default is 10 seconds.</value>
    [Range(typeof(TimeSpan), "00:00:00.100", "00:05:00")]
    public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>The time for which the task waits after a failed request before it tries again.</summary>
    /// <value>The default is 5 seconds.</value>
    [Range(typeof(TimeSpan), "00:00:00.050", "01:00:00")]
    public TimeSpan RetryAfter { get; set; } = TimeSpan.FromSeconds(5);
}
