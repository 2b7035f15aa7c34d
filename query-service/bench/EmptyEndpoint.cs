using System.Globalization;
using Optiks.Protocol;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Bench;

/// <summary>
/// Answers like a lookup, but without looking anything up, so that a measurement can compare its speed with the speed of lookups. It runs
/// behind the same middleware, reads the body in the same way, and sends the same headers and the same number of bytes. <c>PUT
/// /bench/empty/n</c> sets the answer's length in bytes; <c>POST /bench/empty</c> returns the answer. Thread-safe.
/// </summary>
internal sealed class EmptyEndpoint
{
    private const string Path = "/bench/empty";
    private const int MaxLength = 1 << 20;

    private byte[] _answer = [];

    public void Map(IEndpointRouteBuilder routes)
    {
        routes.MapPut($"{Path}/{{length}}", (Delegate)SetLength);
        // The handler has a parameter for the token, because the handlers of lookups have one too.
        routes.MapPost(Path, (HttpContext context, CancellationToken cancellation) => AnswerAsync(context, cancellation));
    }

    private IResult SetLength(string length)
    {
        if (!int.TryParse(length, NumberStyles.None, CultureInfo.InvariantCulture, out int octets) || octets > MaxLength)
        {
            return new Problem(ProblemTypes.MalformedRequest, $"The length is an integer from 0 to {MaxLength}.", "{length}");
        }
        Volatile.Write(ref _answer, new byte[octets]);
        return Results.NoContent();
    }

    private async Task AnswerAsync(HttpContext context, CancellationToken cancellationToken)
    {
        string type = AcceptHeader.Choose(context.Request, MediaTypes.Json, MediaTypes.Lookup, MediaTypes.UserLookup);
        _ = RequestBody.MediaType(context.Request, MediaTypes.Json, MediaTypes.Query, MediaTypes.UserQuery);
        _ = await RequestBody.ReadAsync(context.Request, MaxLength, cancellationToken);
        byte[] answer = Volatile.Read(ref _answer);
        HttpResponse response = context.Response;
        Caching.NoStore(response);
        response.ContentType = type;
        response.ContentLength = answer.Length;
        answer.CopyTo(response.BodyWriter.GetSpan(answer.Length));
        response.BodyWriter.Advance(answer.Length);
    }
}
