using System.ComponentModel.DataAnnotations;

namespace Optiks.UpdateTask.Options;

/// <summary>
/// BucketOptions (<c>Optiks:Bucket</c>) say where the board is copied to: a bucket of S3 or a storage that speaks its language (docs/operations/buckets.md). Credentials are not among them: they are taken where AWS programs take them,
/// such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of the environment. They may change at every start.
/// </summary>
internal sealed class BucketOptions
{
    public const string Section = "Optiks:Bucket";

    /// <summary>Name of the bucket, which must exist.</summary>
    /// <value>Empty: the board is copied nowhere.</value>
    public string Name { get; set; } = "";

    /// <summary>Prefix of all objects' keys, such as <c>optiks/</c>: the board's files have it before their names.</summary>
    [RegularExpression("([A-Za-z0-9._-]+/)*", ErrorMessage = "Optiks:Bucket:Prefix is empty, or names of letters, digits, '.', '_' and '-' that each end with '/'.")]
    public string Prefix { get; set; } = "";

    /// <summary>ServiceUrl of a storage that is not Amazon's.</summary>
    /// <value>Empty: Amazon's, in the region.</value>
    public string ServiceUrl { get; set; } = "";

    /// <summary>Region of the bucket, also as requests to another storage are signed for it.</summary>
    [Required]
    public string Region { get; set; } = "us-east-1";

    /// <summary>PathStyle names the bucket in the path of a URL, and not in its host's name, as most storages other than Amazon's want it.</summary>
    public bool PathStyle { get; set; }

    /// <summary>
    /// KeepsMark puts the high-water mark into the bucket before each epoch is signed, so that tasks need no folder in common: one on a new host makes its folder again. Epochs wait while the bucket fails.
    /// </summary>
    /// <value>false: tasks share the folder <c>board</c>.</value>
    public bool KeepsMark { get; set; }

    /// <summary>Timeout of one request, to the last octet of its answer.</summary>
    /// <value>10 seconds.</value>
    [Range(typeof(TimeSpan), "00:00:00.100", "00:05:00")]
    public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>RetryAfter is how long to wait after a failure.</summary>
    /// <value>5 seconds.</value>
    [Range(typeof(TimeSpan), "00:00:00.050", "01:00:00")]
    public TimeSpan RetryAfter { get; set; } = TimeSpan.FromSeconds(5);
}
