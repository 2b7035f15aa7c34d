namespace Optiks.UpdateTask.Buckets;

/// <summary>ObjectKind says how an object is served: what it is, and how long whoever got it may keep it.</summary>
/// <param name="ContentType">Its media type.</param>
/// <param name="CacheControl">For how long.</param>
internal sealed record ObjectKind(string ContentType, string CacheControl)
{
    private const string Forever = "public, max-age=31536000, immutable";

    /// <summary>Tile or entry bundle.</summary>
    public static readonly ObjectKind Tile = new("application/octet-stream", Forever);

    /// <summary>AuditProof of an epoch.</summary>
    public static readonly ObjectKind AuditProof = new(Protocol.MediaTypes.AuditProof, Forever);

    /// <summary>Checkpoint of the log.</summary>
    public static readonly ObjectKind Checkpoint = new("text/plain; charset=utf-8", "public, max-age=2");

    /// <summary>Mark of an epoch that is about to be signed: of tasks alone, and never kept.</summary>
    public static readonly ObjectKind Mark = new("text/plain; charset=utf-8", "no-store");
}
