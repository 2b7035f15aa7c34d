using System.Net;
using System.Text.Json;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Client.Tests;

/// <summary>
/// Reads the members that all vectors in tests/vectors/lookup and tests/vectors/users have. Also creates a client whose server returns a
/// vector's answer.
/// </summary>
internal static class Vectors
{
    public static JsonDocument Read(string file) =>
        JsonDocument.Parse(File.ReadAllBytes(Path.Combine(AppContext.BaseDirectory, "vectors", file)));

    public static TrustAnchor Anchor(JsonElement anchor)
    {
        byte[] configuration = Hex(anchor, "configuration");
        return TrustAnchor.Create(
            configuration, new VerifierKey(Configuration.Decode(configuration).Origin, SignatureType.Ed25519, Hex(anchor, "log_key")));
    }

    // These vectors have a kept checkpoint without a kept record, but a client keeps both. Use the answer's own record as the kept record,
    // because that record passes every comparison.
    public static HeadState? Head(JsonElement vector) => !vector.TryGetProperty("checkpoint", out JsonElement checkpoint)
        ? null
        : new HeadState
        {
            Size = checkpoint.GetProperty("size").GetUInt64(),
            Root = Hex(checkpoint, "root"),
            Checkpoint = [],
            Record = Hex(vector, "answer").Length >= EpochRecord.Length
                ? Hex(vector, "answer")[..EpochRecord.Length]
                : new byte[EpochRecord.Length],
        };

    /// <summary>Returns a client whose servers all return the vector's answer.</summary>
    public static OptiksClient Client(TrustAnchor anchor, JsonElement vector, IClientStateStore store, HttpClient http)
    {
        var clock = new SetClock { UtcNow = DateTimeOffset.FromUnixTimeMilliseconds(vector.GetProperty("now_ms").GetInt64()) };
        var options = new OptiksClientOptions
        {
            TrustAnchor = anchor,
            QueryUrls = [new Uri("http://vectors.test/")],
            RetryFor = TimeSpan.Zero,
        };
        return new OptiksClient(options, http, store, clock);
    }

    public static byte[] Hex(JsonElement element, string name) => Convert.FromHexString(element.GetProperty(name).GetString()!);

    public static ulong? Number(JsonElement? element, string name) =>
        element is { } present && present.TryGetProperty(name, out JsonElement number) && number.ValueKind == JsonValueKind.Number
            ? number.GetUInt64()
            : null;

    /// <summary>Gives one answer to every request, and keeps the body of the last request.</summary>
    internal sealed class Answering(byte[] answer, string mediaType) : HttpMessageHandler
    {
        public byte[] LastBody { get; private set; } = [];

        protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            LastBody = request.Content is null ? [] : await request.Content.ReadAsByteArrayAsync(cancellationToken);
            var content = new ByteArrayContent(answer);
            content.Headers.ContentType = new(mediaType);
            return new HttpResponseMessage(HttpStatusCode.OK) { Content = content };
        }
    }
}
