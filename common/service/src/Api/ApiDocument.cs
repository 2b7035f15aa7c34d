using System.Reflection;
using System.Security.Cryptography;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Optiks.Protocol;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Holds the OpenAPI document of a service, which is a file of docs/spec/openapi that the service's assembly embeds. The service serves the
/// file's bytes, and refuses URL parameters that the document does not describe (<see cref="UrlParameters"/>). Any thread may use it.
/// </summary>
public sealed class ApiDocument
{
    /// <summary>The path at which the service serves the document.</summary>
    public const string Path = "/openapi/v1.json";

    private const string Resource = "openapi.json";
    private const int TagLength = 18;

    private readonly ReadOnlyMemory<byte> _octets;
    private readonly string _tag;

    // The comparison of names is case-sensitive, like the comparison of member names in bodies.
    private readonly HashSet<(string Method, string Path, string Name)> _parameters;

    /// <summary>Reads a document. Throws <see cref="JsonException"/> if the bytes are not JSON.</summary>
    public ApiDocument(ReadOnlyMemory<byte> octets)
    {
        _octets = octets;
        _tag = Base64UrlText.Encode(SHA256.HashData(octets.Span).AsSpan(0, TagLength));
        using var document = JsonDocument.Parse(octets);
        Title = document.RootElement.GetProperty("info").GetProperty("title").GetString()!;
        _parameters =
        [
            .. from path in document.RootElement.GetProperty("paths").EnumerateObject()
               from operation in path.Value.EnumerateObject()
               from name in QueryParameters(operation.Value)
               select (operation.Name.ToUpperInvariant(), path.Name, name),
        ];
    }

    /// <summary>Reads the OpenAPI document that an assembly embeds.</summary>
    public static ApiDocument Load(Assembly assembly)
    {
        ArgumentNullException.ThrowIfNull(assembly);
        using Stream stream = assembly.GetManifestResourceStream(Resource)
            ?? throw new InvalidOperationException($"{assembly} embeds no {Resource}.");
        byte[] octets = new byte[stream.Length];
        stream.ReadExactly(octets);
        return new ApiDocument(octets);
    }

    /// <summary>The title of the document, which is the service's name for people.</summary>
    public string Title { get; }

    /// <summary>Returns whether the document describes this URL parameter of an endpoint. The parameter <paramref name="pattern"/> is the
    /// endpoint's path as the document writes it.</summary>
    public bool Takes(string method, string pattern, string parameter) =>
        _parameters.Contains((HttpMethods.IsHead(method) ? HttpMethods.Get : method, pattern, parameter));

    internal void Map(WebApplication app)
    {
        ApiReference.Map(app, Title);
        app.MapRead(Path, async (HttpContext context, CancellationToken cancellation) =>
        {
            context.Response.Headers.CacheControl = "public, max-age=60";
            if (!Caching.IsKnown(context, _tag))
            {
                context.Response.ContentType = MediaTypes.Json;
                context.Response.ContentLength = _octets.Length;
                await context.Response.BodyWriter.WriteAsync(_octets, cancellation);
            }
        });
    }

    private static IEnumerable<string> QueryParameters(JsonElement operation) =>
        operation.TryGetProperty("parameters", out JsonElement parameters)
            ? parameters.EnumerateArray().Where(parameter => parameter.GetProperty("in").ValueEquals("query"))
                .Select(parameter => parameter.GetProperty("name").GetString()!)
            : [];
}
