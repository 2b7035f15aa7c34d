using Microsoft.AspNetCore.Http;
using Optiks.Native;
using Optiks.Secrets;
using Optiks.Tests.Shared;
using Optiks.Tlog;
using Optiks.UpdateTask.Buckets;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>
/// Tests copying the board to a bucket. After any failure during a copy, each reader of the bucket must still get a checkpoint together
/// with everything that the checkpoint commits to.
/// </summary>
public sealed class BucketTests : IAsyncLifetime
{
    private const string Checkpoint = "checkpoint";

    private readonly NoteSigner _log = new("log.example/bucket", SignatureType.Ed25519, new byte[32]);
    private readonly List<string> _folders = [];
    private TestBucket _bucket = null!;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync() => _bucket = await TestBucket.StartAsync();

    public async ValueTask DisposeAsync()
    {
        await _bucket.DisposeAsync();
        _folders.ForEach(folder => Directory.Delete(folder, recursive: true));
        _log.Dispose();
    }

    [Fact]
    public async Task What_the_board_has_the_bucket_has_and_partial_tiles_go_with_the_next_checkpoint()
    {
        string folder = Folder();
        Assert.Equal(0UL, await PublishAsync(folder));
        await GrowAsync(folder, 200);
        Assert.Equal(200UL, await PublishAsync(folder));
        await CheckAsync(200);
        Assert.Equal(("application/octet-stream", "public, max-age=31536000, immutable"), KindOf("tile/0/000.p/200"));
        Assert.Equal((Protocol.MediaTypes.AuditProof, "public, max-age=31536000, immutable"), KindOf("audit/199"));
        Assert.Equal(("text/plain; charset=utf-8", "public, max-age=2"), KindOf(Checkpoint));

        await GrowAsync(folder, 300);
        Assert.Equal(300UL, await PublishAsync(folder));
        await CheckAsync(300);
        Assert.DoesNotContain(_bucket.Objects.Keys,
            key => key.Contains("000.p/", StringComparison.Ordinal) && !key.StartsWith("tile/1/", StringComparison.Ordinal));
        Assert.Contains("tile/entries/001.p/44", _bucket.Objects.Keys);
        // From here on the bucket refuses every write. The copy must still succeed, because the bucket lacks no object.
        _bucket.Fault = (context, method, _) => Task.FromResult(method == "PUT" && Refuse(context));
        Assert.Equal(300UL, await PublishAsync(folder, probed: true));
    }

    [Fact]
    public async Task Cosignatures_are_added_and_never_lost()
    {
        string folder = Folder();
        await GrowAsync(folder, 3);
        await PublishAsync(folder);
        byte[] before = _bucket.Objects[Checkpoint].Octets;
        using var witness = new NoteSigner("w.example", SignatureType.CosignatureV1, new byte[32]);
        Assert.True(SignedNote.TryParse(before, out SignedNote? note, out _));
        byte[] cosigned = note.WithSignatures([await Cosignature.SignAsync(note.Text, 5, witness, Cancel)]).Encode();
        await File.WriteAllBytesAsync(Path.Combine(folder, Checkpoint), cosigned, Cancel);
        await PublishAsync(folder);
        Assert.Equal(cosigned, _bucket.Objects[Checkpoint].Octets);
        // The board gets back its older checkpoint file, which has no cosignature. The next copy must not remove the cosignature from the
        // bucket's checkpoint.
        await File.WriteAllBytesAsync(Path.Combine(folder, Checkpoint), before, Cancel);
        await PublishAsync(folder);
        Assert.Equal(cosigned, _bucket.Objects[Checkpoint].Octets);
    }

    [Fact]
    public async Task A_copy_that_is_cut_off_anywhere_leaves_a_whole_board_and_is_finished()
    {
        string folder = Folder();
        await GrowAsync(folder, 254);
        await PublishAsync(folder);
        await GrowAsync(folder, 258);
        for (int left = 0; ; left += Rounds.Of(5, 1))
        {
            // Each round lets `left` writes succeed and then fails every further write. The next round uses a new copier, as after a crash.
            int writes = left;
            _bucket.Fault = (context, method, _) =>
                Task.FromResult(method != "GET" && Interlocked.Decrement(ref writes) < 0 && Refuse(context));
            try
            {
                await PublishAsync(folder, probed: true);
                break;
            }
            catch (ObjectStoreException)
            {
                await CheckAsync(_bucket.Objects[Checkpoint].Octets.AsSpan().IndexOf("\n254\n"u8) >= 0 ? 254UL : 258UL);
            }
        }
        await CheckAsync(258);
        Assert.DoesNotContain(_bucket.Objects.Keys, key => key.StartsWith("tile/0/000.p/", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Of_two_writers_the_older_one_overwrites_nothing()
    {
        string older = Folder();
        await GrowAsync(older, 5);
        await PublishAsync(older);
        await GrowAsync(older, 6);
        string newer = Folder(older);
        await GrowAsync(newer, 9);
        bool isOvertaken = false;
        _bucket.Fault = async (_, method, key) =>
        {
            // The copier with the newer board publishes after the older copier has compared the checkpoints, and before the older copier
            // writes.
            if (method == "PUT" && key == Checkpoint && !isOvertaken)
            {
                isOvertaken = true;
                await PublishAsync(newer, probed: true);
            }
            return false;
        };
        BucketConflictException refused = await Assert.ThrowsAsync<BucketConflictException>(() => PublishAsync(older, probed: true));
        Assert.Contains("size 9, the board's 6", refused.Message, StringComparison.Ordinal);
        Assert.True(isOvertaken);
        await CheckAsync(9);
        // A copier that uses the newer board can continue.
        await GrowAsync(newer, 10);
        await PublishAsync(newer);
        await CheckAsync(10);
    }

    [Fact]
    public async Task A_storage_that_compares_entity_tags_without_quotes_gets_them_so()
    {
        _bucket.ComparesBareTags = true;
        string folder = Folder();
        await GrowAsync(folder, 3);
        await PublishAsync(folder);
        await GrowAsync(folder, 7);
        Assert.Equal(7UL, await PublishAsync(folder));
        await CheckAsync(7);
        // This storage ignores a condition whose entity tag has no quotes. The task must not send it any further write in that form.
        _bucket.Fault = async (context, method, key) =>
        {
            if (method == "PUT" && context.Request.Headers.IfMatch.ToString() is { Length: > 0 } match)
            {
                context.Response.StatusCode = match.StartsWith('"') ? StatusCodes.Status412PreconditionFailed : StatusCodes.Status200OK;
                return await WriteAsync(context, "<Error><Code>PreconditionFailed</Code></Error>"u8.ToArray());
            }
            return false;
        };
        await GrowAsync(folder, 8);
        await AssertConflictAsync("ignores If-None-Match or If-Match", folder);
        await CheckAsync(7);
    }

    [Fact]
    public async Task What_contradicts_the_board_is_left_as_it_is()
    {
        string folder = Folder();
        await GrowAsync(folder, 4);
        _bucket.Objects["tile/0/000.p/4"] = new TestBucket.Stored([1, 2, 3], "\"x-1\"", "", "");
        await AssertConflictAsync("has another tile/0/000.p/4", folder);
        Assert.False(_bucket.Objects.ContainsKey(Checkpoint));
        _bucket.Objects.Clear();

        _bucket.Objects[Checkpoint] = new TestBucket.Stored("something else\n"u8.ToArray(), "\"x-1\"", "", "");
        await AssertConflictAsync("not from this log", folder);
        _bucket.Objects.Clear();

        await PublishAsync(folder);
        string fork = Folder();
        await GrowAsync(fork, 6, seed: 1);
        await AssertConflictAsync("contradict each other", fork);
        await CheckAsync(4);
    }

    [Fact]
    public async Task A_storage_that_is_slow_or_fails_is_tried_again_and_one_that_lies_is_found_out()
    {
        string folder = Folder();
        await GrowAsync(folder, 2);
        _bucket.Fault = async (context, _, _) =>
        {
            await Task.Delay(Timeout.Infinite, context.RequestAborted).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            return true;
        };
        TimeSpan timeout = _bucket.Timeout;
        _bucket.Timeout = TimeSpan.FromSeconds(1);
        Assert.Contains("did not answer in time", (await Assert.ThrowsAsync<ObjectStoreException>(() => PublishAsync(folder))).Message,
            StringComparison.Ordinal);
        _bucket.Timeout = timeout;
        _bucket.Fault = (context, _, _) => Task.FromResult(Refuse(context));
        Assert.Contains("503", (await Assert.ThrowsAsync<ObjectStoreException>(() => PublishAsync(folder))).Message,
            StringComparison.Ordinal);
        _bucket.Fault = null;
        await PublishAsync(folder);
        await GrowAsync(folder, 3);

        // The storage answers every read of the checkpoint with an invalid entity tag.
        _bucket.Fault = (context, method, key) =>
        {
            if (method != "GET" || key != Checkpoint)
            {
                return Task.FromResult(false);
            }
            context.Response.Headers.ETag = "\"another-1\"";
            return WriteAsync(context, _bucket.Objects[key].Octets);
        };
        Assert.Contains("entity tag", (await Assert.ThrowsAsync<ObjectStoreException>(() => PublishAsync(folder))).Message,
            StringComparison.Ordinal);
        await CheckAsync(2);

        // The bucket confirms the write of the checkpoint, but writes nothing.
        _bucket.Fault = (context, method, key) => method == "PUT" && key == Checkpoint ? WriteAsync(context, []) : Task.FromResult(false);
        Assert.Contains("just stored", (await Assert.ThrowsAsync<BucketConflictException>(() => PublishAsync(folder))).Message,
            StringComparison.Ordinal);
        // The bucket has this tile and refuses to create it again, but it does not return the tile.
        _bucket.Fault = (context, method, key) => Task.FromResult(method == "GET" && key == "tile/0/000.p/3" && NotFound(context));
        await Assert.ThrowsAsync<ObjectStoreException>(() => PublishAsync(folder));
        _bucket.Fault = null;
        await PublishAsync(folder);
        await CheckAsync(3);

        _bucket.IgnoresConditions = true;
        await GrowAsync(folder, 4);
        await AssertConflictAsync("ignores If-None-Match or If-Match", folder);
        await CheckAsync(3);
    }

    [Trait("Level", "Deep")]
    [Fact]
    public async Task A_task_that_is_killed_between_objects_leaves_a_whole_board_and_the_next_goes_on()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        string[] points = ["bucket-object:2", "bucket-objects", "bucket-checkpoint", "bucket-object:3"];
        foreach (string point in points.Take(Rounds.Of(2, points.Length)))
        {
            await using TaskProcess killed = TaskProcess.Start(folder, point, [.. _bucket.Settings, "--Optiks:Log:Heartbeat=00:00:00.100"]);
            Assert.True(await killed.ExitAsync() == TaskProcess.Killed, killed.Output);
            await CheckRecordsAsync(folder);
        }
        ulong before = await CheckRecordsAsync(folder);
        await using TaskProcess task = TaskProcess.Start(folder, null, _bucket.Settings);
        await task.UntilAsync(async () => await CheckRecordsAsync(folder) > before);
        await task.UntilAsync(async () =>
            (await task.GetAsync("/health/ready")).Body.Contains("The bucket has size", StringComparison.Ordinal));
        Assert.Equal(0, await task.TerminateAsync());
    }

    private static bool Refuse(HttpContext context)
    {
        context.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
        return true;
    }

    private static bool NotFound(HttpContext context)
    {
        context.Response.StatusCode = StatusCodes.Status404NotFound;
        return true;
    }

    private static async Task<bool> WriteAsync(HttpContext context, byte[] octets)
    {
        await context.Response.Body.WriteAsync(octets, context.RequestAborted);
        return true;
    }

    private static byte[] Entry(ulong index, int seed) => [.. BitConverter.GetBytes(index), (byte)seed];

    private (string ContentType, string CacheControl) KindOf(string key) =>
        (_bucket.Objects[key].ContentType, _bucket.Objects[key].CacheControl);

    private string Folder(string? copyOf = null)
    {
        string folder = Directory.CreateTempSubdirectory("optiks-bucket-").FullName;
        _folders.Add(folder);
        foreach (string file in copyOf is null ? [] : Directory.EnumerateFiles(copyOf, "*", SearchOption.AllDirectories))
        {
            string path = Path.Combine(folder, Path.GetRelativePath(copyOf!, file));
            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            File.Copy(file, path);
        }
        return folder;
    }

    private async Task GrowAsync(string folder, ulong size, int seed = 0)
    {
        BoardWriter writer = await BoardWriter.OpenAsync(folder, _log.Key, Ed25519.Verifier, Cancel);
        using BoardLock boardLock = BoardLock.TryAcquire(folder)!;
        var files = new DurableFiles(folder);
        for (ulong index = writer.Size; index < size; index++)
        {
            await writer.AppendAsync(boardLock, index, [Entry(index, seed)], Cancel);
            if (index > 0)
            {
                files.WriteOnce(AuditProofPath.ForEpoch(index), Entry(index, seed));
            }
        }
        SignedNote note = await SignedNote.SignAsync(new Checkpoint(_log.Key.Name, size, writer.Root).Encode(), _log, Cancel);
        await writer.PublishAsync(boardLock, note.Encode(), Cancel);
    }

    private async Task<ulong> PublishAsync(string folder, bool probed = false)
    {
        using var store = new S3ObjectStore(_bucket.Options);
        return await new BucketBoard(
            folder, new CheckpointVerifier(_log.Key, [], Ed25519.Verifier), store)
        { IsProbed = probed }.PublishAsync(Cancel);
    }

    private async Task AssertConflictAsync(string says, string folder) =>
        Assert.Contains(says, (await Assert.ThrowsAsync<BucketConflictException>(() => PublishAsync(folder))).Message,
            StringComparison.Ordinal);

    // Checks the copied board over plain HTTP, like a reader that knows nothing about buckets.
    private async Task CheckAsync(ulong size)
    {
        Func<HttpContext, string, string, Task<bool>>? fault = _bucket.Fault;
        _bucket.Fault = null;
        using var http = new HttpClient();
        var reader = new HttpTileReader(http, _bucket.Url);
        Assert.True(
            new CheckpointVerifier(_log.Key, [], Ed25519.Verifier).TryOpen(
                await reader.ReadCheckpointAsync(Cancel), out SignedCheckpoint? checkpoint, out TlogError error), $"{error}");
        Assert.Equal(size, checkpoint.Checkpoint.Size);
        var hashes = new HashReader(reader, size, checkpoint.Checkpoint.Root);
        for (ulong bundle = 0; bundle * TilePath.FullWidth < size; bundle++)
        {
            IReadOnlyList<ReadOnlyMemory<byte>> entries = await hashes.ReadBundleAsync(bundle, Cancel);
            for (int i = 0; i < entries.Count; i++)
            {
                ulong index = (bundle * TilePath.FullWidth) + (ulong)i;
                Assert.Equal(Entry(index, 0), entries[i].ToArray());
                Assert.True(index == 0 || _bucket.Objects.ContainsKey(AuditProofPath.ForEpoch(index)));
            }
        }
        _bucket.Fault = fault;
    }

    // Checks that the bucket's copy of a real log's board has the log's records. Returns the copy's size, or 0 if the copy has no
    // checkpoint yet.
    private async Task<ulong> CheckRecordsAsync(TestFolder folder)
    {
        using var http = new HttpClient();
        var reader = new HttpTileReader(http, _bucket.Url);
        if (await reader.ReadCheckpointAsync(Cancel) is not { } note)
        {
            return 0;
        }
        VerifierKey key = Protocol.TrustAnchor.Load(folder.Data.TrustAnchor).LogKey;
        Assert.True(new CheckpointVerifier(key, [], Ed25519.Verifier).TryOpen(note, out SignedCheckpoint? checkpoint, out TlogError error),
            $"{error}");
        var hashes = new HashReader(reader, checkpoint.Checkpoint.Size, checkpoint.Checkpoint.Root);
        for (ulong bundle = 0; bundle * TilePath.FullWidth < checkpoint.Checkpoint.Size; bundle++)
        {
            Assert.NotEmpty(await hashes.ReadBundleAsync(bundle, Cancel));
        }
        return checkpoint.Checkpoint.Size;
    }
}
