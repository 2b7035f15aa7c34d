using System.Collections.Concurrent;
using System.Security.Cryptography;
using System.Text;
using Microsoft.AspNetCore.Http;
using Optiks.Tests.Shared;
using Optiks.UpdateTask.Options;

namespace Optiks.UpdateTask.Tests.Support;

/// <summary>
/// Serves the part of the S3 protocol that the task needs over HTTP, including conditional writes. A test can make it give other answers.
/// </summary>
internal sealed class TestBucket : IAsyncDisposable
{
    private const string Name = "board";

    private readonly Lock _lock = new();
    private MadeUpServer? _server;

    private TestBucket()
    {
    }

    /// <summary>The objects in the bucket, by their keys.</summary>
    public ConcurrentDictionary<string, Stored> Objects { get; } = new(StringComparer.Ordinal);

    /// <summary>
    /// A test's function that may answer a request in place of the bucket. It receives the HTTP context, the request's method and the
    /// object's key. It returns false if the bucket must answer.
    /// </summary>
    public Func<HttpContext, string, string, Task<bool>>? Fault { get; set; }

    /// <summary>Whether the bucket carries out writes even if their If-Match or If-None-Match condition does not hold.</summary>
    public bool IgnoresConditions { get; set; }

    /// <summary>
    /// Whether the bucket compares an If-Match condition with the entity tag without its quotes, as Ceph's gateway in Debian 12 does.
    /// </summary>
    public bool ComparesBareTags { get; set; }

    /// <summary>The base URL of the objects.</summary>
    public Uri Url => new($"{_server!.Address}/{Name}/");

    /// <summary>
    /// The task's time limit for one operation. It is long, so that an operation succeeds even on a busy machine. Tests of a bucket that
    /// does not answer set a shorter limit.
    /// </summary>
    public TimeSpan Timeout { get; set; } = TimeSpan.FromMinutes(2);

    /// <summary>The task's options for using this bucket.</summary>
    public BucketOptions Options =>
        new() { Name = Name, ServiceUrl = Url.GetLeftPart(UriPartial.Authority), PathStyle = true, Timeout = Timeout };

    /// <summary>The command-line settings that make an update-task process use this bucket.</summary>
    public string[] Settings =>
    [
        $"--Optiks:Bucket:Name={Name}", $"--Optiks:Bucket:ServiceUrl={Options.ServiceUrl}", "--Optiks:Bucket:PathStyle=true",
        "--Optiks:Bucket:RetryAfter=00:00:00.100",
    ];

    public static async Task<TestBucket> StartAsync()
    {
        // The S3 library looks for credentials in these environment variables first.
        Environment.SetEnvironmentVariable("AWS_ACCESS_KEY_ID", "test");
        Environment.SetEnvironmentVariable("AWS_SECRET_ACCESS_KEY", "test");
        var bucket = new TestBucket();
        bucket._server = await MadeUpServer.StartAsync(bucket.AnswerAsync);
        return bucket;
    }

    public ValueTask DisposeAsync() => _server!.DisposeAsync();

    private static async Task ErrorAsync(HttpContext context, int status, string code)
    {
        context.Response.StatusCode = status;
        context.Response.ContentType = "application/xml";
        await context.Response.WriteAsync(
            $"<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>{code}</Code><Message>{code}</Message></Error>");
    }

    private async Task AnswerAsync(HttpContext context)
    {
        string path = context.Request.Path.Value!;
        string key = path.StartsWith($"/{Name}/", StringComparison.Ordinal) ? path[(Name.Length + 2)..] : "";
        using var body = new MemoryStream();
        await context.Request.Body.CopyToAsync(body, context.RequestAborted);
        if (Fault is { } fault && await fault(context, context.Request.Method, key))
        {
            return;
        }
        switch (context.Request.Method)
        {
            case "PUT":
                await PutAsync(context, key, body.ToArray());
                break;
            case "DELETE":
                Objects.TryRemove(key, out _);
                context.Response.StatusCode = StatusCodes.Status204NoContent;
                break;
            case "GET" when context.Request.Query.ContainsKey("list-type"):
                await ListAsync(context, $"{context.Request.Query["prefix"]}");
                break;
            case "GET" when Objects.TryGetValue(key, out Stored? stored):
                context.Response.Headers.ETag = stored.Tag;
                context.Response.Headers.CacheControl = stored.CacheControl;
                context.Response.ContentType = stored.ContentType;
                context.Response.ContentLength = stored.Octets.Length;
                await context.Response.Body.WriteAsync(stored.Octets, context.RequestAborted);
                break;
            default:
                await ErrorAsync(context, StatusCodes.Status404NotFound, "NoSuchKey");
                break;
        }
    }

    private async Task PutAsync(HttpContext context, string key, byte[] octets)
    {
        string none = context.Request.Headers.IfNoneMatch.ToString();
        string match = context.Request.Headers.IfMatch.ToString();
        // The entity tag has the form of a multipart upload's tag, because the S3 library expects every other tag to be the MD5 hash of the
        // contents.
        string tag = $"\"{Convert.ToHexStringLower(SHA256.HashData(octets).AsSpan(0, 16))}-1\"";
        bool holds;
        lock (_lock)
        {
            holds = IgnoresConditions
                || (none.Length == 0 || !Objects.ContainsKey(key))
                    && (match.Length == 0 || (Objects.TryGetValue(key, out Stored? present)
                        && (ComparesBareTags ? present.Tag.Trim('"') : present.Tag) == match));
            if (holds)
            {
                Objects[key] = new Stored(octets, tag, $"{context.Request.ContentType}", $"{context.Request.Headers.CacheControl}");
            }
        }
        if (!holds)
        {
            await ErrorAsync(context, StatusCodes.Status412PreconditionFailed, "PreconditionFailed");
            return;
        }
        context.Response.Headers.ETag = tag;
    }

    private async Task ListAsync(HttpContext context, string prefix)
    {
        var text = new StringBuilder(
            $"<?xml version=\"1.0\" encoding=\"UTF-8\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>{Name}</Name><IsTruncated>false</IsTruncated>");
        foreach (string key in Objects.Keys.Where(key => key.StartsWith(prefix, StringComparison.Ordinal)))
        {
            _ = text.Append(System.Globalization.CultureInfo.InvariantCulture, $"<Contents><Key>{key}</Key></Contents>");
        }
        context.Response.ContentType = "application/xml";
        await context.Response.WriteAsync(text.Append("</ListBucketResult>").ToString());
    }

    /// <summary>Holds one object.</summary>
    internal sealed record Stored(byte[] Octets, string Tag, string ContentType, string CacheControl);
}
