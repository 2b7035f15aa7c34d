using System.Net;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Optiks.Native;
using Optiks.Secrets;
using Optiks.Tests.Shared;
using Optiks.Tlog;

namespace Optiks.QueryService.Tests;

/// <summary>Tests that a replica collects, verifies and serves the cosignatures of auditors and witnesses.</summary>
public sealed class CosignerTests
{
    private const string Path = "/v1/cosignatures";

    private static readonly DateTimeOffset s_now = TimeProvider.System.GetUtcNow();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Each_cosigners_newest_checkpoint_is_handed_out_with_two_signatures()
    {
        await using TestLog log = await TestLog.CreateAsync();
        await log.PublishAsync(("alice", "a"));
        await using TestCosigner first = await TestCosigner.StartAsync("first.example", 1);
        await using TestCosigner second = await TestCosigner.StartAsync("second.example", 2);
        first.Note = () => first.Cosign(second.Cosign(log.Records[0].Checkpoint, s_now), s_now);
        second.Note = () => second.Cosign(log.Records[^1].Checkpoint, s_now);
        await using Replica replica = await StartAsync(log, first, second);
        await WaitForSizesAsync(replica, 1, 2);
        using HttpResponseMessage response = await replica.SendAsync(Replica.Get(Path));
        Assert.Equal("public, max-age=1", response.Headers.GetValues("Cache-Control").Single());
        HttpRequestMessage again = Replica.Get(Path);
        again.Headers.IfNoneMatch.Add(response.Headers.ETag!);
        using HttpResponseMessage known = await replica.SendAsync(again);
        Assert.Equal(HttpStatusCode.NotModified, known.StatusCode);

        IReadOnlyList<byte[]> notes = await NotesAsync(replica);
        Assert.Equal(first.Cosign(log.Records[0].Checkpoint, s_now), notes[0]);
        Assert.Equal(second.Cosign(log.Records[^1].Checkpoint, s_now), notes[1]);
        // A note that is older than the served note does not replace it.
        first.Note = () => first.Cosign(log.Records[1].Checkpoint, s_now);
        await WaitForSizesAsync(replica, 2, 2);
        first.Note = () => first.Cosign(log.Records[0].Checkpoint, s_now);
        await WaitForRequestsAsync(replica, first, 2);
        await WaitForSizesAsync(replica, 2, 2);
    }

    [Fact]
    public async Task Cosignatures_on_the_board_are_handed_out()
    {
        await using TestLog log = await TestLog.CreateAsync();
        await using TestCosigner witness = await TestCosigner.StartAsync("witness.example", 1);
        await using Replica replica = await StartAsync(log, [$"witness w {witness.Key}"]);
        Assert.Empty(await NotesAsync(replica));
        string board = System.IO.Path.Combine(log.Folder.Board, "log");
        using (BoardLock held = BoardLock.TryAcquire(board)!)
        {
            var cosigner = new BoardCosigner(board, new CheckpointVerifier(log.Anchor.LogKey, [witness.Key], Ed25519.Verifier));
            Assert.True(SignedNote.TryParse(witness.Cosign(log.Records[0].Checkpoint, s_now), out SignedNote? note, out _));
            await cosigner.AddAsync(held, note.Text,
                [new VerifiedSignature(witness.Key, note.Signatures[1], (ulong)s_now.ToUnixTimeSeconds())], Cancellation);
        }
        await WaitForSizesAsync(replica, 1);
        Assert.Equal(0, witness.Asked);
    }

    public static TheoryData<string> Lies =>
        ["not signed by the log", "another log's", "not cosigned", "false cosignature", "a log's key", "from the future",
            "larger than the log", "too long", "hangs", "redirects", "none"];

    [Theory]
    [MemberData(nameof(Lies))]
    public async Task A_cosigner_that_lies_is_not_handed_out_and_holds_nobody_up(string lie)
    {
        await using TestLog log = await TestLog.CreateAsync();
        await using TestLog other = await TestLog.CreateAsync();
        await using TestCosigner honest = await TestCosigner.StartAsync("honest.example", 1);
        await using TestCosigner liar = await TestCosigner.StartAsync("liar.example", 2);
        await using TestCosigner impostor = await TestCosigner.StartAsync("liar.example", 3);
        ReadOnlyMemory<byte> note = log.Records[0].Checkpoint;
        honest.Note = () => honest.Cosign(note, s_now);
        liar.Note = lie switch
        {
            "not signed by the log" => () => Flip(liar.Cosign(note, s_now), line: 1),
            "another log's" => () => liar.Cosign(other.Records[0].Checkpoint, s_now),
            "not cosigned" => () => note.ToArray(),
            "false cosignature" => () => Flip(liar.Cosign(note, s_now), line: 2),
            "a log's key" => () => impostor.Cosign(note, s_now),
            "from the future" => () => liar.Cosign(note, s_now.AddHours(1)),
            "larger than the log" => () => liar.Cosign(Sign(log, 5, log.Records[0].RecordHash), s_now),
            "too long" => () => [.. liar.Cosign(note, s_now), .. new byte[SignedNote.MaxBytes]],
            _ => () => null,
        };
        liar.Instead = lie switch
        {
            "hangs" => context => Task.Delay(Timeout.Infinite, context.RequestAborted),
            "redirects" => context => RedirectAsync(context, honest.Address),
            _ => null,
        };
        await using Replica replica = await StartAsync(log, honest, liar);

        await WaitForRequestsAsync(replica, honest, 2);
        await replica.WaitAsync(() => liar.Asked > 0);
        Assert.Equal([1UL], await SizesAsync(replica));
        if (lie is not ("hangs" or "larger than the log"))
        {
            // Once the cosigner is honest again, the replica accepts its notes, even if the cosigner has lied many times.
            (liar.Note, liar.Instead) = (() => liar.Cosign(note, s_now), null);
            await WaitForSizesAsync(replica, 1, 1);
        }
    }

    [Fact]
    public async Task A_second_history_that_the_log_signed_is_an_alarm()
    {
        await using TestLog log = await TestLog.CreateAsync();
        await log.PublishAsync(("alice", "a"));
        await using TestCosigner auditor = await TestCosigner.StartAsync("auditor.example", 1);
        auditor.Note = () => auditor.Cosign(Sign(log, 1, log.Records[1].RecordHash), s_now);
        using var events = new LoggedEvents();
        await using Replica replica = await Replica.StartAsync(
            log, "a", services => services.AddLogging(logging => logging.AddProvider(events)), _ => { },
            "--Optiks:QueryService:CosignersFile", await WriteAsync(log, [auditor.Line]),
            "--Optiks:QueryService:CosignersInterval", "00:00:00.100");
        await replica.WaitAsync(() => events.Has("CosignerContradicts"));
        // The alarm may come before the rehearsal at the start has ended, and during the rehearsal the service answers every query with
        // 503.
        await replica.WaitForEpochAsync((ulong)log.Records.Count - 1);
        Assert.Empty(await NotesAsync(replica));
    }

    [Theory]
    [InlineData("witness one KEY ftp://example.org\nquorum none\n", "no URL")]
    [InlineData("witness one KEY https://example.org?x=1\nquorum none\n", "no URL")]
    [InlineData("witness one KEY https://example.org#x\nquorum none\n", "no URL")]
    [InlineData("quorum none\n", "0 cosigners")]
    [InlineData("witness one KEY https://example.org\n", "MissingQuorum")]
    [InlineData("witness one KEY https://example.org\nwitness two KEY https://example.net\nquorum none\n", "DuplicateKey")]
    public async Task A_file_that_can_not_be_used_ends_the_start(string text, string why)
    {
        await using TestLog log = await TestLog.CreateAsync();
        await using TestCosigner cosigner = await TestCosigner.StartAsync("one.example", 1);
        string file = System.IO.Path.Combine(log.Folder.Root, "cosigners");
        await File.WriteAllTextAsync(file, text.Replace("KEY", cosigner.Key.ToString(), StringComparison.Ordinal), Cancellation);
        StartupException refused =
            await Assert.ThrowsAsync<StartupException>(() => Replica.StartAsync(log, "a", "--Optiks:QueryService:CosignersFile", file));
        Assert.Contains(why, refused.Message, StringComparison.Ordinal);
    }

    private static Task RedirectAsync(HttpContext context, string address)
    {
        context.Response.StatusCode = StatusCodes.Status302Found;
        context.Response.Headers.Location = address;
        return Task.CompletedTask;
    }

    private static Task<Replica> StartAsync(TestLog log, params TestCosigner[] cosigners) =>
        StartAsync(log, [.. cosigners.Select(cosigner => cosigner.Line)]);

    private static async Task<Replica> StartAsync(TestLog log, string[] lines) =>
        await Replica.StartReadyAsync(log, "a", "--Optiks:QueryService:CosignersFile", await WriteAsync(log, lines),
            "--Optiks:QueryService:CosignersInterval", "00:00:00.100");

    private static async Task<string> WriteAsync(TestLog log, string[] lines)
    {
        string file = System.IO.Path.Combine(log.Folder.Root, "cosigners");
        await File.WriteAllTextAsync(file, $"{string.Join('\n', lines)}\nquorum none\n", Cancellation);
        return file;
    }

    private static async Task<IReadOnlyList<byte[]>> NotesAsync(Replica replica)
    {
        JsonElement answer = await replica.JsonAsync(Replica.Get(Path));
        Assert.Equal(["checkpoints"], answer.EnumerateObject().Select(member => member.Name));
        return [.. answer.GetProperty("checkpoints").EnumerateArray().Select(note => Encoding.UTF8.GetBytes(note.GetString()!))];
    }

    private static async Task<IReadOnlyList<ulong>> SizesAsync(Replica replica) => [.. (await NotesAsync(replica)).Select(note =>
    {
        Assert.True(SignedNote.TryParse(note, out SignedNote? parsed, out _));
        Assert.True(Checkpoint.TryParse(parsed.Text.Span, out Checkpoint? checkpoint, out _));
        Assert.Equal(2, parsed.Signatures.Count);
        return checkpoint.Size;
    })];

    private static Task WaitForSizesAsync(Replica replica, params ulong[] sizes) =>
        replica.WaitAsync(async () => sizes.SequenceEqual(await SizesAsync(replica)));

    private static Task WaitForRequestsAsync(Replica replica, TestCosigner cosigner, int more)
    {
        // The method waits for one request more than the parameter `more` says. When the replica sends this last request, it has already
        // judged the notes that it received for the earlier requests.
        int enough = cosigner.Asked + more + 1;
        return replica.WaitAsync(() => cosigner.Asked >= enough);
    }

    // Returns a checkpoint that the log's key signed for a tree that the log never had.
    private static byte[] Sign(TestLog log, ulong size, ReadOnlyMemory<byte> root)
    {
        using var source = new FileSecretSource(log.Folder, KeyRing.Load(log.Folder));
        INoteSigner signer = source.OpenLogSigner(log.Anchor);
        var checkpoint = new Checkpoint(log.Anchor.Configuration.Origin, size, TreeHash.FromBytes(root.Span));
        byte[] note = SignedNote.SignAsync(checkpoint.Encode(), signer, Cancellation).AsTask().GetAwaiter().GetResult().Encode();
        (signer as IDisposable)?.Dispose();
        return note;
    }

    // Changes a letter near the end of the base64 in one line of a note, so that the signature is wrong. The letter has no padding bits, so
    // the base64 stays canonical.
    private static byte[] Flip(byte[] note, int line)
    {
        string[] lines = Encoding.UTF8.GetString(note).Split('\n');
        int at = Array.IndexOf(lines, "") + line;
        lines[at] = lines[at][..^8] + (lines[at][^8] == 'A' ? 'B' : 'A') + lines[at][^7..];
        return Encoding.UTF8.GetBytes(string.Join('\n', lines));
    }
}
