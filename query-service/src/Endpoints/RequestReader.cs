using Microsoft.Extensions.Options;
using Optiks.Protocol;
using Optiks.QueryService.Answers;
using Optiks.QueryService.Options;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Endpoints;

/// <summary>
/// Reads the parts that all requests about keys and users have in common: the terms of the answer, and a body whose memory is counted.
/// Thread-safe.
/// </summary>
internal sealed class RequestReader
{
    // The greatest length of a body in bytes.
    private const long MaxBodyLength = 1024 * 1024;

    private readonly AnswerBudget _budget;
    private readonly QueryServiceOptions _options;

    public RequestReader(AnswerBudget budget, IOptions<QueryServiceOptions> options)
    {
        _budget = budget;
        _options = options.Value;
    }

    /// <summary>Parses a body of the given media type. Throws <see cref="ProblemException"/> if the body is malformed.</summary>
    public delegate T Parse<out T>(string type, ReadOnlyMemory<byte> body);

    /// <summary>
    /// Reads the terms of a request's answer, which is either JSON or has the media type <paramref name="binary"/>. Callers dispose of the
    /// terms after the answer was sent. Throws <see cref="ProblemException"/> if the headers or the URL are malformed.
    /// </summary>
    public AnswerTerms ReadTerms(HttpContext context, string binary)
    {
        string type = AcceptHeader.Choose(context.Request, MediaTypes.Json, binary);
        var position = ClientPosition.Read(context.Request);
        var state = AskedState.Read(context.Request);
        // Answers with cached proofs are faster. So a caller can tell from the time of an answer that someone else has asked about the key
        // before.
        bool usesCache = !_options.HideCacheFromAnonymous || CallerRights.Get(context) is { IsToken: false };
        return new AnswerTerms(position, state, type, usesCache, _budget.LeaseFor(context));
    }

    /// <summary>
    /// Reads and parses a request's body, which is either JSON or has the media type <paramref name="binary"/>. Throws
    /// <see cref="ProblemException"/> if the body has another type, is too long or malformed, or if the caller may not use as much memory
    /// now as the body needs.
    /// </summary>
    public static async ValueTask<T> ReadBodyAsync<T>(
        HttpRequest request, string binary, AnswerTerms terms, Parse<T> parse, CancellationToken cancellationToken)
    {
        string type = RequestBody.MediaType(request, MediaTypes.Json, binary);
        using var counted = new BodyLease(terms.Lease);
        using PooledBody body = await RequestBody.ReadPooledAsync(request, MaxBodyLength, counted.Hold, cancellationToken);
        return parse(type, body.Memory);
    }
}
