using System.ComponentModel.DataAnnotations;

namespace Optiks.UpdateTask.Options;

/// <summary>
/// Configures the bucket to which the board is copied: one of S3 or of a storage with the same protocol (<c>Optiks:Bucket</c>;
/// docs/operations/buckets.md). Credentials are found where AWS programs find them, such as in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY
/// of the environment. All settings may change at every start.
/// </summary>
internal sealed class BucketOptions
{
    public const string Section = "Optiks:Bucket";

    /// <summary>The name of the bucket, which must exist.</summary>
    /// <value>Empty: the board is not copied.</value>
    public string Name { get; set; } = "";

    /// <summary>The prefix of all objects' keys, such as <c>optiks/</c>: it precedes the names of the board's files.</summary>
    [RegularExpression("([A-Za-z0-9._-]+/)*", ErrorMessage = "Optiks:Bucket:Prefix must be empty, or names of letters, digits, '.', '_' and '-' that each end with '/'.")]
    public string Prefix { get; set; } = "";

    /// <summary>The URL of a storage other than Amazon's.</summary>
    /// <value>Empty: Amazon's, in the region.</value>
    public string ServiceUrl { get; set; } = "";

    /// <summary>The region of the bucket; requests to another storage are signed for it too.</summary>
    [Required]
    public string Region { get; set; } = "us-east-1";

    /// <summary>
    /// Whether the bucket's name is in the path of URLs instead of the host name, as most storages other than Amazon's require.
    /// </summary>
    public bool PathStyle { get; set; }

    /// <summary>
    /// Whether the bucket stores the high-water mark before each epoch is signed. Tasks then need no common folder: a task on a new host
    /// makes its folder anew. Epochs wait while the bucket fails.
    /// </summary>
    /// <value>false: tasks share the folder <c>board</c>.</value>
    public bool KeepsMark { get; set; }

    /// <summary>The time limit for one request, up to the last byte of its answer.</summary>
    /// <value>10 seconds.</value>
    [Range(typeof(TimeSpan), "00:00:00.100", "00:05:00")]
    public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>The wait after a failure.</summary>
    /// <value>5 seconds.</value>
    [Range(typeof(TimeSpan), "00:00:00.050", "01:00:00")]
    public TimeSpan RetryAfter { get; set; } = TimeSpan.FromSeconds(5);
}
