using System.Text;
using Microsoft.AspNetCore.Http;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Following;
using Optiks.ServiceDefaults;
using Optiks.Tests.Shared;
using Optiks.Tlog;

namespace Optiks.QueryService.Tests;

/// <summary>
/// Tests a replica whose board is at a URL. No matter what the web server sends, the replica must serve only verified files. After it has
/// served an epoch, it must not serve an earlier epoch. It must never serve an epoch beyond the board's checkpoint.
/// </summary>
public sealed class RemoteBoardTests : IAsyncLifetime
{
    private TestLog? _log;
    private BoardServer? _board;

    private TestLog Log => _log!;

    private BoardServer Board => _board!;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync()
    {
        _log = await TestLog.CreateAsync();
        _board = await BoardServer.StartAsync(Folder);
    }

    public async ValueTask DisposeAsync()
    {
        await Board.DisposeAsync();
        await Log.DisposeAsync();
    }

    private string Folder => Path.Combine(Log.Folder.Board, "log");

    [Fact]
    public async Task The_log_is_followed_and_handed_out_through_any_number_of_replicas()
    {
        await Log.PublishAsync(("alice", "one"));
        await using Replica near = await StartAsync("near");
        await using Replica far = await StartAsync("far", $"--Optiks:Board:Url={near.Client.BaseAddress}log/");
        for (int i = 0; i < 3; i++)
        {
            await Log.PublishAsync(("alice", $"{i}"), ($"user{i}", "x"));
        }
        Replica[] all = [near, far];
        foreach (Replica replica in all)
        {
            await replica.WaitForEpochAsync(4);
            byte[] note = await replica.OctetsAsync(Replica.Get("/log/checkpoint"));
            Assert.Equal(Reason.Valid, LogVerifier.Checkpoint(Log.Anchor, note, out ulong size, out byte[] root));
            Assert.Equal(5UL, size);
            var tiles = new HttpTileReader(replica.Client, new Uri(replica.Client.BaseAddress!, "/log/"));
            Assert.Equal(Log.Records.Select(row => row.Record.ToArray()),
                (await new HashReader(tiles, size, TreeHash.FromBytes(root)).ReadBundleAsync(0, Cancel)).Select(entry => entry.ToArray()));
            foreach (string path in (string[])["tile/0/000.p/5", "tile/entries/000.p/5", "audit/001", "audit/004"])
            {
                using HttpResponseMessage response = await replica.SendAsync(Replica.Get($"/log/{path}"));
                Assert.Equal("public, max-age=31536000, immutable", response.Headers.GetValues("Cache-Control").Single());
                Assert.Equal(await File.ReadAllBytesAsync(Path.Combine(Folder, path), Cancel),
                    await response.Content.ReadAsByteArrayAsync(Cancel));
                using HttpResponseMessage head = await replica.SendAsync(new HttpRequestMessage(HttpMethod.Head, $"/log/{path}"));
                Assert.Equal(response.Content.Headers.ContentLength, head.Content.Headers.ContentLength);
            }
            // The first request asks for the audit proof of a range. The second one comes from a client that keeps an older checkpoint.
            Assert.NotEmpty(await replica.OctetsAsync(Replica.Get("/v1/epochs/0-4/audit-proof", MediaTypes.AuditProof)));
            Assert.NotEmpty(await replica.OctetsAsync(Replica.Get("/v1/epochs/latest?checkpoint_size=2", MediaTypes.Head)));
        }
        // The board must not send an unchanged file again, and the replica must fetch each file only once.
        Assert.Contains(Board.Requests, request => request is { Path: "checkpoint", Status: 304 });
        Assert.Single(Board.Requests, request => request.Path == "audit/004");
        Assert.DoesNotContain(Board.Requests, request => request.Status == 404);
    }

    [Fact]
    public async Task Nothing_else_is_looked_for()
    {
        await Log.PublishAsync(("alice", "one"));
        await using Replica replica = await StartAsync("a");
        Board.Requests.Clear();
        string[] paths =
        [
            "", "tile/0/000", "tile/0/000.p/3", "tile/1/000.p/1", "tile/0/001.p/1", "tile/63/000", "tile/0/000.p/02",
            "tile/entries/000.p/3", "audit/000", "audit/002", "audit/1", "audit/x001/000", ".signed",
        ];
        foreach (string path in paths)
        {
            await replica.ProblemAsync(Replica.Get($"/log/{path}"), ProblemTypes.NotFound);
        }
        Assert.DoesNotContain(Board.Requests, request => request.Path != "checkpoint");
    }

    [Fact]
    public async Task While_the_board_is_away_what_was_served_is_served_and_after_a_while_it_says_so()
    {
        await Log.PublishAsync(("alice", "one"));
        await using Replica first = await StartAsync("first", "--Optiks:Board:UnreadyAfter=00:10:00");
        await using (Replica second = await StartAsync("second"))
        {
            Board.Fails(StatusCodes.Status503ServiceUnavailable);
            await Log.PublishAsync(("alice", "two"));
            await second.WaitForTroubleAsync("The board has given no acceptable checkpoint for ");
            await second.WaitForTroubleAsync("It answers 503.");
            await first.WaitForEpochAsync(1, " Epochs up to 2 wait for their checkpoint.");
            Assert.Equal("one", await ValueAsync(first));
            Assert.Equal("one", await ValueAsync(second));
        }
        // Without the board, a restarted replica serves the last epoch that it served before the restart, and no later epoch. A replica
        // that never served an epoch waits.
        await using Replica again = await Replica.StartAsync(Log, "second", Settings());
        await again.WaitForTroubleAsync("The board has not been read yet. It answers 503.");
        await again.WaitAsync(async () =>
            (await again.ReadinessAsync()).Body is { } body
                && body.Contains("Serving epoch 1. Epochs up to 2 wait", StringComparison.Ordinal)
                && !body.Contains("rehearsed", StringComparison.Ordinal));
        Assert.Equal("one", await ValueAsync(again));
        await using Replica never = await Replica.StartAsync(Log, "never", Settings());
        await never.WaitForTroubleAsync("""epoch":{"status":"unhealthy","description":"The board has not been read yet. It answers 503.""");

        Board.Fault = null;
        foreach (Replica replica in (Replica[])[first, again, never])
        {
            await replica.WaitForEpochAsync(2);
            Assert.Equal("two", await ValueAsync(replica));
        }
    }

    [Fact]
    public async Task A_board_that_does_what_no_board_does_changes_nothing()
    {
        await Log.PublishAsync(("alice", "one"));
        await using Replica replica = await StartAsync("a");
        byte[] note = await File.ReadAllBytesAsync(Path.Combine(Folder, "checkpoint"), Cancel);
        byte[] unsigned = [.. note];
        // The test replaces a letter of the signature by another letter, because flipping a bit might give a character that is not base64.
        unsigned[^10] = unsigned[^10] == (byte)'A' ? (byte)'B' : (byte)'A';
        (string Said, Func<HttpContext, string, Task<bool>> Answer)[] cases =
        [
            ("has size 1; it had one of size 2", Saying(Log.Records[0].Checkpoint.ToArray())),
            ("(checkpoint_signature)", Saying(unsigned)),
            ("(checkpoint_malformed)", Saying("no note\n"u8.ToArray())),
            ("The log signed two trees of size 2.", Saying(await Log.SignAsync(2, TreeHash.FromBytes(new byte[TreeHash.Length])))),
            ("It does not answer", Answering(EndlessAsync)),
            ("It does not answer", Answering(context => SlowAsync(context, note))),
            ("It does not answer", Answering(context => CutAsync(context, note))),
            ("It answers 302.", Answering(context =>
            {
                context.Response.Redirect($"{Board.Url}/checkpoint?again");
                return Task.CompletedTask;
            })),
            ("It no longer has a checkpoint.", Answering(context =>
            {
                context.Response.StatusCode = StatusCodes.Status404NotFound;
                return Task.CompletedTask;
            })),
        ];
        foreach ((string said, Func<HttpContext, string, Task<bool>> answer) in cases)
        {
            Board.Fault = answer;
            await replica.WaitForTroubleAsync(said);
            Assert.Equal(note, await replica.OctetsAsync(Replica.Get("/log/checkpoint")));
            Board.Fault = null;
            await replica.WaitForEpochAsync(1);
        }
        // While the board sends wrong answers, the replica accepts no new checkpoint.
        Board.Fault = cases[1].Answer;
        await Log.PublishAsync(("alice", "two"));
        await replica.WaitForTroubleAsync(cases[1].Said);
        await Task.Delay(200, Cancel);
        Assert.Equal("one", await ValueAsync(replica));
        Board.Fault = null;
        await replica.WaitForEpochAsync(2);
        Assert.Equal("two", await ValueAsync(replica));
    }

    [Fact]
    public async Task An_epoch_that_the_board_has_otherwise_is_not_served()
    {
        await Log.PublishAsync(("alice", "one"));
        await using Replica replica = await StartAsync("a");
        Board.Fault = Saying(await Log.SignAsync(3, TreeHash.FromBytes(new byte[TreeHash.Length])));
        await replica.WaitAsync(async () =>
            (await replica.ReadinessAsync()).Body.Contains("The board has size 3.", StringComparison.Ordinal));
        await Log.PublishAsync(("alice", "two"));
        await replica.WaitForTroubleAsync("The database and the board have different logs of 3 epochs, and the log signed both");
        Assert.Equal("one", await ValueAsync(replica));
    }

    [Fact]
    public async Task What_does_not_verify_is_not_passed_on_nor_kept()
    {
        for (int i = 0; i < 2; i++)
        {
            await Log.PublishAsync(("alice", $"{i}"));
        }
        await using Replica replica = await StartAsync("a");
        // The replica already has the files of its rehearsal in the cache. With a new epoch, the log has another size, and the replica
        // needs other files.
        await Log.PublishAsync(("alice", "2"));
        await replica.WaitForEpochAsync(3);
        foreach (string path in (string[])["tile/0/000.p/4", "tile/entries/000.p/4", "audit/003"])
        {
            byte[] octets = await File.ReadAllBytesAsync(Path.Combine(Folder, path), Cancel);
            byte[] changed = [.. octets];
            changed[^1] ^= 1;
            Board.Says(path, changed);
            await replica.ProblemAsync(Replica.Get($"/log/{path}"), ProblemTypes.Unavailable);
            Board.Says(path, octets[..^1]);
            await replica.ProblemAsync(Replica.Get($"/log/{path}"), ProblemTypes.Unavailable);
            Board.Says(path, new byte[100_000_000]);
            await replica.ProblemAsync(Replica.Get($"/log/{path}"), ProblemTypes.Unavailable);
            Board.Fault = null;
            Assert.Equal(octets, await replica.OctetsAsync(Replica.Get($"/log/{path}")));
            // Now the replica has the file in its cache, so it can serve the file even if the board cannot be reached.
            Board.Fails(StatusCodes.Status503ServiceUnavailable);
            Assert.Equal(octets, await replica.OctetsAsync(Replica.Get($"/log/{path}")));
            Board.Fault = null;
        }
    }

    [Fact]
    public async Task Sizes_that_the_board_skipped_are_read_from_wider_tiles()
    {
        await Log.PublishAsync(("alice", "one"));
        await Log.PublishAsync(("alice", "two"));
        await using Replica replica = await StartAsync("a");
        // The board's web server lacks the files for size 3, which is the size of the replica's checkpoint.
        foreach (string skipped in (string[])["tile/0/000.p/3", "tile/entries/000.p/3"])
        {
            File.Delete(Path.Combine(Folder, skipped));
        }
        await Log.PublishOnBoardFirstAsync(async () =>
        {
            await replica.WaitAsync(async () =>
                (await replica.ReadinessAsync()).Body.Contains("The board has size 4.", StringComparison.Ordinal));
            Assert.NotEmpty(await replica.OctetsAsync(Replica.Get("/v1/epochs/latest?checkpoint_size=2", MediaTypes.Head)));
            Assert.Equal(Log.Records[0].Record.ToArray(), await replica.OctetsAsync(Replica.Get("/v1/epochs/0", MediaTypes.Record)));
            Assert.Equal(3 * TreeHash.Length, (await replica.OctetsAsync(Replica.Get("/log/tile/0/000.p/3"))).Length);
            // The replica must not serve a file beyond the size of the checkpoint that it serves.
            await replica.ProblemAsync(Replica.Get("/log/tile/0/000.p/4"), ProblemTypes.NotFound);
            await replica.ProblemAsync(Replica.Get("/log/audit/003"), ProblemTypes.NotFound);
        });
        await replica.WaitForEpochAsync(3);
    }

    [Fact]
    public void The_cache_keeps_what_was_asked_for_last_within_its_bound()
    {
        var cache = new OctetCache(4096);
        cache.Put("long", new byte[1000]);
        Assert.False(cache.TryGet("long", out _));
        for (int i = 0; i < 100; i++)
        {
            cache.Put($"{i}", new byte[256]);
            Assert.True(cache.TryGet("0", out _));
            Assert.InRange(cache.Size, 1, 4096);
        }
        Assert.False(cache.TryGet("1", out _));
        Assert.True(cache.TryGet("99", out byte[]? last) && last.Length == 256);
        cache.Put("99", [1]);
        Assert.True(cache.TryGet("99", out last) && last.Length == 1);
        cache.Clear();
        Assert.Equal((false, 0L), (cache.TryGet("99", out _), cache.Size));
    }

    private static async Task EndlessAsync(HttpContext context)
    {
        while (!context.RequestAborted.IsCancellationRequested)
        {
            await context.Response.Body.WriteAsync(new byte[4096], context.RequestAborted);
        }
    }

    private static async Task SlowAsync(HttpContext context, byte[] note)
    {
        for (int i = 0; !context.RequestAborted.IsCancellationRequested; i++)
        {
            await context.Response.Body.WriteAsync(note.AsMemory(i % note.Length, 1), context.RequestAborted);
            await context.Response.Body.FlushAsync(context.RequestAborted);
            await Task.Delay(100, context.RequestAborted);
        }
    }

    private static async Task CutAsync(HttpContext context, byte[] note)
    {
        context.Response.ContentLength = note.Length;
        await context.Response.Body.WriteAsync(note.AsMemory(0, 10), context.RequestAborted);
        context.Abort();
    }

    private static Func<HttpContext, string, Task<bool>> Saying(byte[] note) =>
        Answering(async context => await context.Response.Body.WriteAsync(note, context.RequestAborted));

    private static Func<HttpContext, string, Task<bool>> Answering(Func<HttpContext, Task> answer) => async (context, path) =>
    {
        if (path != "checkpoint")
        {
            return false;
        }
        await answer(context);
        return true;
    };

    private string[] Settings(params string[] more) =>
        [Board.Setting, "--Optiks:Board:PollInterval=00:00:00.050", "--Optiks:Board:Timeout=00:00:03",
            "--Optiks:Board:UnreadyAfter=00:00:00.300", .. more];

    private Task<Replica> StartAsync(string name, params string[] more) => Replica.StartReadyAsync(Log, name, Settings(more));

    private static async Task<string?> ValueAsync(Replica replica)
    {
        byte[] answer = await replica.OctetsAsync(Replica.Post("/v1/lookup", """[{"key": "alice"}]""", MediaTypes.Lookup));
        using var keys = new ByteStrings();
        keys.Add("alice"u8);
        LookupVerdict verdict = Verifier.Lookup(replica.Context(), keys, new KnownKey[1], answer);
        Assert.Equal(Reason.Valid, verdict.Reason);
        return verdict.Keys[0].Value is { } value ? Encoding.UTF8.GetString(answer.AsSpan()[value]) : null;
    }
}
