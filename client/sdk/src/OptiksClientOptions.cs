using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>OptiksClientOptions says whom a client asks and what it trusts.</summary>
public sealed record OptiksClientOptions
{
    /// <summary>TrustAnchor of the log: configuration and log key, from a source that the server does not control.</summary>
    public required TrustAnchor TrustAnchor { get; init; }

    /// <summary>QueryUrls of one or more replicas. When one cannot be reached, is behind, refuses, or gives an answer that fails verification or withholds a value, the next is asked.</summary>
    public required IReadOnlyList<Uri> QueryUrls { get; init; }

    /// <summary>ReplicaFailed is told of each answer that was refused while there are other replicas to ask: a valid one of another replica hides it otherwise. Called from any thread.</summary>
    /// <value>null: nobody is told.</value>
    public Action<ReplicaFault>? ReplicaFailed { get; init; }

    /// <summary>UpdateUrl of the update-service.</summary>
    /// <value>null: this client does not update.</value>
    public Uri? UpdateUrl { get; init; }

    /// <summary>ApiKey for updates, history and monitoring; a secret. It is never sent over http to another machine: such a call throws <see cref="OptiksServerException"/> with <see cref="ServerFailure.Insecure"/>.</summary>
    public string? ApiKey { get; init; }

    /// <summary>
    /// Token gives a token of the operator's account system, for a client that acts for one user: a secret that goes where <see cref="ApiKey"/> would go, of which there is none then. Asked before each request that
    /// carries it, so that one that expires is renewed in time; from any thread, and with what it throws as the call's result.
    /// </summary>
    /// <value>null: there is none.</value>
    public Func<CancellationToken, ValueTask<string>>? Token { get; init; }

    /// <summary>AuthorizeLookups: a lookup that a server refuses without a credential is sent again with the API key or token. The operator then knows who looks up whom.</summary>
    /// <value>false: lookups carry neither.</value>
    public bool AuthorizeLookups { get; init; }

    /// <summary>AnswerWithin bounds a whole answer, headers and body: it may take this long, and longer only while it comes with 16 KiB a second.</summary>
    /// <value>60 seconds.</value>
    public TimeSpan AnswerWithin { get; init; } = DefaultAnswerWithin;

    /// <summary>RetryFor bounds how long transient failures and replicas that are behind are retried.</summary>
    /// <value>10 seconds.</value>
    public TimeSpan RetryFor { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>RetryDelay is the longest pause before the second try, when the server names none; later ones grow to 16 times of it. Pauses are random, so that clients do not return together.</summary>
    /// <value>200 milliseconds.</value>
    public TimeSpan RetryDelay { get; init; } = TimeSpan.FromMilliseconds(200);

    /// <summary>MaxPages of one history or look; then there is no result.</summary>
    internal int MaxPages { get; init; } = 1000;

    /// <summary>MaxPagesLength of all pages together, in octets; then there is no result.</summary>
    internal long MaxPagesLength { get; init; } = 256L << 20;

    /// <summary>CosignersAfter this time servers are asked again what auditors and witnesses cosigned.</summary>
    internal TimeSpan CosignersAfter { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>Credential to send where one is needed; null: there is none. Throws <see cref="ArgumentException"/> when there are two.</summary>
    internal Func<CancellationToken, ValueTask<string>>? Credential() => (ApiKey, Token) switch
    {
        (null, _) => Token,
        ({ } key, null) => _ => ValueTask.FromResult(key),
        _ => throw new ArgumentException("A client has an API key or tokens, not both."),
    };

    internal static TimeSpan DefaultAnswerWithin { get; } = TimeSpan.FromSeconds(60);
}
