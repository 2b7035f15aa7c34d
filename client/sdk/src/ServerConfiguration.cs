using System.Text.Json;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Client;

/// <summary>
/// Asks a server which log it serves. The answer is only the server's statement. A caller that stores the answer notices later changes, but
/// cannot tell whether the first answer was true.
/// </summary>
public static class ServerConfiguration
{
    private const int MaxLength = 64 * 1024;

    /// <summary>
    /// Requests <c>GET /v1/configuration</c> and parses the answer. Throws <see cref="OptiksServerException"/> if there is no usable
    /// answer.
    /// </summary>
    public static async Task<TrustAnchor> FetchAsync(Uri server, HttpClient http, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(server);
        ArgumentNullException.ThrowIfNull(http);
        var connection = new ServerConnection(http, null, OptiksClientOptions.DefaultAnswerWithin, TimeProvider.System);
        byte[] answer =
            await connection.SendAsync(new ServerRequest(server, "/v1/configuration", MediaTypes.Json, MaxLength), cancellationToken)
                .ConfigureAwait(false);
        try
        {
            using var document = StrictJson.Parse(answer);
            string? configuration = document.RootElement.GetProperty("configuration").GetString();
            string? logKey = document.RootElement.GetProperty("log_key").GetString();
            return configuration is not null && logKey is not null && Base64UrlText.TryDecode(configuration, out byte[]? octets)
                && VerifierKey.TryParse(logKey, out VerifierKey? key, out _)
                ? TrustAnchor.Create(octets, key)
                : throw new FormatException("configuration or log_key");
        }
        catch (Exception e)
            when (e is JsonException or KeyNotFoundException or InvalidOperationException or FormatException or TrustAnchorException)
        {
            throw new OptiksServerException(ServerFailure.Unusable, server,
                $"{server.Authority} answered with something that is not a log's configuration: {e.Message}", e);
        }
    }
}
