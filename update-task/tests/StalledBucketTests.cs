using Microsoft.AspNetCore.Http;
using Optiks.UpdateTask.Buckets;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>
/// Tests a bucket whose answers stall after they have begun, or never end. The task must give up such an answer and continue.
/// </summary>
public sealed class StalledBucketTests : IAsyncLifetime
{
    private const string Key = "checkpoint";

    private TestBucket _bucket = null!;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync()
    {
        _bucket = await TestBucket.StartAsync();
        _bucket.Objects[Key] = new TestBucket.Stored(new byte[1000], "\"a-1\"", "", "");
    }

    public ValueTask DisposeAsync() => _bucket.DisposeAsync();

    [Theory(Timeout = 600_000)]
    [InlineData("get", StatusCodes.Status200OK)]
    [InlineData("get", StatusCodes.Status404NotFound)]
    [InlineData("get", StatusCodes.Status503ServiceUnavailable)]
    [InlineData("create", StatusCodes.Status200OK)]
    [InlineData("create", StatusCodes.Status412PreconditionFailed)]
    [InlineData("replace", StatusCodes.Status200OK)]
    [InlineData("list", StatusCodes.Status200OK)]
    [InlineData("list", StatusCodes.Status500InternalServerError)]
    [InlineData("delete", StatusCodes.Status200OK)]
    [InlineData("delete", StatusCodes.Status403Forbidden)]
    public async Task An_answer_that_stalls_in_its_body_is_given_up(string operation, int status)
    {
        using var store = new S3ObjectStore(_bucket.Options);
        await RunAsync(store, operation);
        _bucket.Timeout = TimeSpan.FromSeconds(1);
        using var hasty = new S3ObjectStore(_bucket.Options);
        _bucket.Fault = async (context, _, _) =>
        {
            await BeginAsync(context, status);
            await Task.Delay(Timeout.InfiniteTimeSpan, context.RequestAborted).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            return true;
        };
        // For some operations the S3 library ignores the body of the answer, and succeeds without waiting for it.
        if (await Record.ExceptionAsync(() => RunAsync(hasty, operation)) is { } given)
        {
            Assert.Contains("in time", Assert.IsType<ObjectStoreException>(given).Message, StringComparison.Ordinal);
        }
        else
        {
            Assert.NotEqual("get", operation);
        }
        _bucket.Fault = null;
        await RunAsync(store, operation);
    }

    [Theory(Timeout = 600_000)]
    [InlineData("get", StatusCodes.Status404NotFound)]
    [InlineData("create", StatusCodes.Status200OK)]
    [InlineData("create", StatusCodes.Status412PreconditionFailed)]
    [InlineData("list", StatusCodes.Status200OK)]
    [InlineData("delete", StatusCodes.Status200OK)]
    public async Task An_answer_that_never_stops_is_given_up_at_its_limit(string operation, int status)
    {
        _bucket.Fault = async (context, _, _) =>
        {
            await BeginAsync(context, status);
            byte[] more = [.. Enumerable.Repeat("<Contents><Key>checkpoint</Key></Contents>"u8.ToArray(), 1000)
                .SelectMany(octets => octets)];
            try
            {
                for (long sent = 0; sent < 1L << 30 && !context.RequestAborted.IsCancellationRequested; sent += more.Length)
                {
                    await context.Response.Body.WriteAsync(more, context.RequestAborted);
                }
            }
            catch (Exception e) when (e is OperationCanceledException or IOException)
            {
                // The client has closed the connection, so the server can stop its endless answer.
            }
            return true;
        };
        using var store = new S3ObjectStore(_bucket.Options);
        ObjectStoreException given = await Assert.ThrowsAsync<ObjectStoreException>(() => RunAsync(store, operation));
        Assert.Contains("longer than", given.Message, StringComparison.Ordinal);
    }

    [Fact(Timeout = 600_000)]
    public async Task A_page_of_a_thousand_long_keys_is_read()
    {
        for (int i = 0; i < 1000; i++)
        {
            _bucket.Objects[$"{new string('k', 900)}{i}"] = new TestBucket.Stored([], "\"a-1\"", "", "");
        }
        using var store = new S3ObjectStore(_bucket.Options);
        Assert.Equal(1000, (await store.ListAsync("k", Cancel)).Count);
    }

    private static Task RunAsync(S3ObjectStore store, string operation) => operation switch
    {
        "get" => store.GetAsync(Key, 4096, Cancel),
        "create" => store.CreateAsync(Key, new byte[10], ObjectKind.Mark, Cancel),
        "replace" => store.ReplaceAsync(Key, "\"a-1\"", new byte[10], ObjectKind.Mark, Cancel),
        "list" => store.ListAsync("c", Cancel),
        _ => store.DeleteAsync("none", Cancel),
    };

    // Sends the headers of an answer and the beginning of its body.
    private static async Task BeginAsync(HttpContext context, int status)
    {
        context.Response.StatusCode = status;
        context.Response.ContentType = "application/xml";
        context.Response.Headers.ETag = "\"a-1\"";
        await context.Response.WriteAsync("<?xml version=\"1.0\" encoding=\"UTF-8\"?><ListBucketResult>", context.RequestAborted);
        await context.Response.Body.FlushAsync(context.RequestAborted);
    }
}
