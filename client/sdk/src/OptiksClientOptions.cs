using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Says which servers a client asks and what it trusts.</summary>
public sealed record OptiksClientOptions
{
    /// <summary>The log's trust anchor: configuration and log key, from a source that the server does not control.</summary>
    public required TrustAnchor TrustAnchor { get; init; }

    /// <summary>
    /// The URLs of one or more replicas. The client asks the next replica when a replica is unreachable, is behind, refuses the request,
    /// withholds a value, or gives an answer that fails verification.
    /// </summary>
    public required IReadOnlyList<Uri> QueryUrls { get; init; }

    /// <summary>
    /// Receives each refused answer while other replicas remain to be asked. Without this callback, a valid answer of another replica would
    /// hide the refused answer. The client may call it from any thread.
    /// </summary>
    /// <value>If null, the client does not report refused answers.</value>
    public Action<ReplicaFault>? ReplicaFailed { get; init; }

    /// <summary>The URL of the update-service.</summary>
    /// <value>If null, this client cannot send updates.</value>
    public Uri? UpdateUrl { get; init; }

    /// <summary>
    /// The API key for updates, history and monitoring. It is a secret. The client never sends it over http to another machine. A call that
    /// would do so throws <see cref="OptiksServerException"/> with <see cref="ServerFailure.Insecure"/>.
    /// </summary>
    public string? ApiKey { get; init; }

    /// <summary>
    /// Returns a token of the operator's account system, for a client that acts for one user. The token is a secret and takes the place of
    /// <see cref="ApiKey"/>, which must then be null. The client calls this function before each request that carries the token, so that an
    /// expiring token is renewed in time. It may call the function from any thread, and passes the function's exceptions to the caller.
    /// </summary>
    /// <value>If null, the client has no token.</value>
    public Func<CancellationToken, ValueTask<string>>? Token { get; init; }

    /// <summary>
    /// Whether the client repeats a lookup with its API key or token after a server has refused the lookup because it had no credential.
    /// The operator then learns which client looks up which keys.
    /// </summary>
    /// <value>If false, lookups carry neither the API key nor a token.</value>
    public bool AuthorizeLookups { get; init; }

    /// <summary>
    /// The time limit for a whole answer, headers and body. An answer may take longer, up to ten
    /// times this limit, only while it arrives at 16 KiB a second or more.
    /// </summary>
    /// <value>The default is 60 seconds.</value>
    public TimeSpan AnswerWithin { get; init; } = DefaultAnswerWithin;

    /// <summary>The time for which the client retries after transient failures and while replicas are behind.</summary>
    /// <value>The default is 10 seconds.</value>
    public TimeSpan RetryFor { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// The longest pause before the second try if the server names no pause. Later pauses grow to at most 16 times this time. Pauses are
    /// random, so that clients that failed together do not retry together.
    /// </summary>
    /// <value>The default is 200 milliseconds.</value>
    public TimeSpan RetryDelay { get; init; } = TimeSpan.FromMilliseconds(200);

    /// <summary>The most pages of one history or monitoring answer; the client gives no result if more pages follow.</summary>
    internal int MaxPages { get; init; } = 1000;

    /// <summary>The most octets of all pages together; the client gives no result if the pages are longer.</summary>
    internal long MaxPagesLength { get; init; } = 256L << 20;

    /// <summary>
    /// The longest time for all pages together; the client gives no result if the pages take longer. With a time limit for
    /// each page alone, a server could keep the client waiting for days.
    /// </summary>
    internal TimeSpan MaxPagesTime { get; init; } = TimeSpan.FromMinutes(30);

    /// <summary>The time after which the client asks servers again for the cosignatures of auditors and witnesses.</summary>
    internal TimeSpan CosignersAfter { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Returns a function that gives the credential for requests; null if the client has no credential. Throws
    /// <see cref="ArgumentException"/> when the options have both an API key and a token.
    /// </summary>
    internal Func<CancellationToken, ValueTask<string>>? Credential() => (ApiKey, Token) switch
    {
        (null, _) => Token,
        ({ } key, null) => _ => ValueTask.FromResult(key),
        _ => throw new ArgumentException("A client has an API key or tokens, not both."),
    };

    internal static TimeSpan DefaultAnswerWithin { get; } = TimeSpan.FromSeconds(60);
}
