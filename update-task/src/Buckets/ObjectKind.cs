namespace Optiks.UpdateTask.Buckets;

/// <summary>Says how an object is served: its media type, and how long clients may cache it.</summary>
/// <param name="ContentType">The object's media type.</param>
/// <param name="CacheControl">The value of the object's <c>Cache-Control</c> header.</param>
internal sealed record ObjectKind(string ContentType, string CacheControl)
{
    private const string Forever = "public, max-age=31536000, immutable";

    /// <summary>The kind of hash tiles and entry bundles.</summary>
    public static readonly ObjectKind Tile = new("application/octet-stream", Forever);

    /// <summary>The kind of an epoch's audit proof.</summary>
    public static readonly ObjectKind AuditProof = new(Protocol.MediaTypes.AuditProof, Forever);

    /// <summary>The kind of the log's checkpoint.</summary>
    public static readonly ObjectKind Checkpoint = new("text/plain; charset=utf-8", "public, max-age=2");

    /// <summary>
    /// The kind of the high-water mark, which names the epoch that is about to be signed. Only tasks read the mark, and it must not be
    /// cached.
    /// </summary>
    public static readonly ObjectKind Mark = new("text/plain; charset=utf-8", "no-store");
}
