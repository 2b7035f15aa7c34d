namespace Optiks.UpdateTask.Buckets;

/// <summary>Says how an object is served: its media type, and how long clients may cache it.</summary>
/// <param name="ContentType">The object's media type.</param>
/// <param name="CacheControl">The object's caching rule.</param>
internal sealed record ObjectKind(string ContentType, string CacheControl)
{
    private const string Forever = "public, max-age=31536000, immutable";

    /// <summary>A tile or an entry bundle.</summary>
    public static readonly ObjectKind Tile = new("application/octet-stream", Forever);

    /// <summary>The audit proof of an epoch.</summary>
    public static readonly ObjectKind AuditProof = new(Protocol.MediaTypes.AuditProof, Forever);

    /// <summary>The checkpoint of the log.</summary>
    public static readonly ObjectKind Checkpoint = new("text/plain; charset=utf-8", "public, max-age=2");

    /// <summary>The mark of an epoch that is about to be signed; only tasks read it, and it is never cached.</summary>
    public static readonly ObjectKind Mark = new("text/plain; charset=utf-8", "no-store");
}
