using System.Text;
using Microsoft.Extensions.Logging.Abstractions;
using Optiks.Native;
using Optiks.Secrets;
using Optiks.Tlog;
using Optiks.Witness.Tests.Support;

namespace Optiks.Witness.Tests;

public sealed class WitnessLogTests : IDisposable
{
    private readonly TestFolder _folder = new();
    private readonly SetClock _clock = new();
    private readonly TestLog _log = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Time_never_goes_back()
    {
        using WitnessedLogs logs = await OpenAsync();
        Assert.Equal(1000UL, TimeOf(await AddAsync(logs, _log, 0, 1)));
        _clock.Seconds = 941;
        Assert.Equal(1000UL, TimeOf(await AddAsync(logs, _log, 1, 1)));
        Assert.Equal(1000UL, TimeOf(await AddAsync(logs, _log, 1, 2)));
        _clock.Seconds = 939;
        Assert.Equal(503, (await AddAsync(logs, _log, 2, 3)).Status);
        Assert.NotNull(logs.All[0].Problem);
        _clock.Seconds = 1001;
        Assert.Equal(1001UL, TimeOf(await AddAsync(logs, _log, 2, 3)));
        Assert.Null(logs.All[0].Problem);
    }

    [Fact]
    public async Task The_same_checkpoint_is_signed_again_later()
    {
        using WitnessedLogs logs = await OpenAsync();
        WitnessAnswer first = await AddAsync(logs, _log, 0, 5);
        Assert.Equal(first, await AddAsync(logs, _log, 5, 5));
        _clock.Seconds++;
        Assert.Equal(1001UL, TimeOf(await AddAsync(logs, _log, 5, 5)));
    }

    [Fact]
    public async Task What_is_on_disk_is_signed_and_what_was_signed_is_on_disk()
    {
        WitnessAnswer answer;
        SignedNote cosigned;
        using (WitnessedLogs logs = await OpenAsync())
        {
            Assert.Null(logs.All[0].Cosigned);
            answer = await AddAsync(logs, _log, 0, 7);
            cosigned = logs.All[0].Cosigned!;
        }
        Assert.True(WitnessedState.TryDecode(File.ReadAllBytes(_folder.StateOf(Vectors.Log)), out WitnessedState? state));
        Assert.Equal((7UL, 1000UL), (state.Checkpoint.Size, state.Time));
        _clock.Seconds = 2000;
        using (WitnessedLogs logs = await OpenAsync())
        {
            Assert.Equal(cosigned.Encode(), logs.All[0].Cosigned!.Encode());
            Assert.Equal(answer.Body, $"{cosigned.Signatures[1].ToLine()}\n");
            Assert.Equal(new WitnessAnswer(409, "7\n"), await AddAsync(logs, _log, 0, 8));
            Assert.Equal(200, (await AddAsync(logs, _log, 7, 8)).Status);
        }
    }

    [Fact]
    public async Task A_fork_is_refused_and_kept_once()
    {
        using WitnessedLogs logs = await OpenAsync();
        var fork = new TestLog(forkedFrom: 3);
        Assert.Equal(200, (await AddAsync(logs, _log, 0, 5)).Status);
        Assert.Equal(422, (await AddAsync(logs, fork, 5, 5)).Status);
        Assert.Equal(422, (await AddAsync(logs, fork, 5, 5)).Status);
        Assert.Equal(422, (await AddAsync(logs, fork, 5, 9)).Status);
        // As a control, check that the witness cosigns a checkpoint that extends the cosigned history.
        Assert.Equal(200, (await AddAsync(logs, _log, 5, 9)).Status);

        string evidence = await File.ReadAllTextAsync(
            Assert.Single(Directory.GetFiles(_folder.Place.Evidence)), TestContext.Current.CancellationToken);
        var verifier = new CheckpointVerifier(Vectors.Log, [], Ed25519.Verifier);
        int end = evidence.IndexOf($"\n\n{Vectors.Log.Name}\n", StringComparison.Ordinal) + 1;
        SignedCheckpoint?[] both =
            [.. ((string[])[evidence[..end], evidence[(end + 1)..]]).Select(
                note => verifier.TryOpen(Encoding.UTF8.GetBytes(note), out SignedCheckpoint? opened, out _) ? opened : null)];
        Assert.Equal([_log.Root(5), fork.Root(5)], both.Select(one => one!.Checkpoint.Root));
        Assert.Equal([5UL, 5UL], both.Select(one => one!.Checkpoint.Size));
    }

    [Fact]
    public async Task Of_many_at_once_one_history_is_cosigned()
    {
        using WitnessedLogs logs = await OpenAsync();
        var fork = new TestLog(forkedFrom: 0);
        byte[][] requests =
            [.. await Task.WhenAll(Enumerable.Range(0, 60).Select(i => (i % 2 == 0 ? _log : fork).RequestAsync(0, 1 + (i % 3))))];

        WitnessAnswer[] answers = await Task.WhenAll(requests.Select(request => Task.Run(() => AddAsync(logs, request))));

        Assert.All(answers, answer => Assert.Contains(answer.Status, (int[])[200, 409, 429]));
        Assert.Single(answers, answer => answer.Status == 200);
        Assert.True(WitnessedState.TryDecode(File.ReadAllBytes(_folder.StateOf(Vectors.Log)), out WitnessedState? state));
        Assert.Equal(logs.All[0].Size, state.Checkpoint.Size);
    }

    [Fact]
    public async Task More_than_eight_of_one_caller_at_a_time_are_told_to_come_back_and_another_is_not()
    {
        using NoteSigner key = CosignerKeyFile.Open(_folder.Place.Key);
        var held = new HeldSigner(key);
        DataFolder.CreateFolder(_folder.Place.State);
        using WitnessLog log = await WitnessLog.OpenAsync(
            Vectors.Log, _folder.Place, held, _clock, NullLogger.Instance, TestContext.Current.CancellationToken);
        Assert.True(AddCheckpointRequest.TryParse(await _log.RequestAsync(0, 1), out AddCheckpointRequest? request));

        Task<WitnessAnswer>[] asked =
            [.. Enumerable.Range(0, 8).Select(_ => log.AddAsync(request, 1, TestContext.Current.CancellationToken))];
        // The witness must refuse this request at once. If it accepted the request, the request would wait for the signer, which the test
        // has blocked.
        Assert.Equal(
            429,
            (await log.AddAsync(request, 1, TestContext.Current.CancellationToken)
                .WaitAsync(TimeSpan.FromMinutes(1), TestContext.Current.CancellationToken)).Status);
        asked = [.. asked, log.AddAsync(request, 2, TestContext.Current.CancellationToken)];
        Assert.All(asked, one => Assert.False(one.IsCompleted));
        held.Release();
        int[] statuses = [.. (await Task.WhenAll(asked)).Select(answer => answer.Status).Order()];
        Assert.Equal([200, .. Enumerable.Repeat(409, 8)], statuses);
        Assert.Equal(409, (await log.AddAsync(request, 1, TestContext.Current.CancellationToken)).Status);
    }

    // Shows a fault that a witness cannot notice (docs/spec/witness.md section 5), so that nobody relies on a witness to notice it.
    [Fact]
    public async Task An_older_copy_of_the_state_is_not_noticed()
    {
        using (WitnessedLogs logs = await OpenAsync())
        {
            Assert.Equal(200, (await AddAsync(logs, _log, 0, 3)).Status);
        }
        byte[] older = await File.ReadAllBytesAsync(_folder.StateOf(Vectors.Log), TestContext.Current.CancellationToken);
        using (WitnessedLogs logs = await OpenAsync())
        {
            Assert.Equal(200, (await AddAsync(logs, _log, 3, 5)).Status);
        }
        await File.WriteAllBytesAsync(_folder.StateOf(Vectors.Log), older, TestContext.Current.CancellationToken);
        using WitnessedLogs back = await OpenAsync();
        Assert.Equal(200, (await AddAsync(back, _log.Fork(4), 3, 5)).Status);
    }

    [Fact]
    public async Task A_disk_that_takes_nothing_is_no_signature()
    {
        using WitnessedLogs logs = await OpenAsync();
        WitnessAnswer first = await AddAsync(logs, _log, 0, 1);
        string state = _folder.StateOf(Vectors.Log);
        File.Move(state, state + ".kept");
        // Put a non-empty folder in place of the state file, because renaming a file over a folder fails even for root.
        Directory.CreateDirectory(Path.Combine(state, "in the way"));
        await Assert.ThrowsAsync<WitnessStorageException>(() => AddAsync(logs, _log, 1, 2));
        Assert.Equal(1UL, logs.All[0].Size);
        Assert.NotNull(logs.All[0].Problem);
        Assert.Equal(first, await AddAsync(logs, _log, 1, 1));

        Directory.Delete(state, recursive: true);
        File.Move(state + ".kept", state);
        Assert.Equal(200, (await AddAsync(logs, _log, 1, 2)).Status);
        Assert.Null(logs.All[0].Problem);
    }

    [Theory]
    [InlineData("")]
    [InlineData("optiks witness 1\ntime 1\n\n")]
    [InlineData("truncated")]
    [InlineData("other-time")]
    [InlineData("other-log")]
    [InlineData("bad-signature")]
    public async Task A_state_that_is_not_its_own_ends_the_start(string damage)
    {
        using (WitnessedLogs logs = await OpenAsync())
        {
            Assert.Equal(200, (await AddAsync(logs, _log, 0, 3)).Status);
        }
        string path = _folder.StateOf(Vectors.Log);
        string text = await File.ReadAllTextAsync(path, TestContext.Current.CancellationToken);
        await File.WriteAllTextAsync(path, damage switch
        {
            "truncated" => text[..^1],
            "other-time" => text.Replace("time 1000", "time 01000", StringComparison.Ordinal),
            "other-log" => text.Replace(Vectors.Log.Name, Vectors.Logs[1].Name, StringComparison.Ordinal),
            "bad-signature" => text.Replace("\n3\n", "\n4\n", StringComparison.Ordinal),
            _ => damage,
        }, TestContext.Current.CancellationToken);

        Assert.Contains("second history", (await Assert.ThrowsAsync<StartupException>(OpenAsync)).Message, StringComparison.Ordinal);

        await File.WriteAllTextAsync(path, text, TestContext.Current.CancellationToken);
        using WitnessedLogs good = await OpenAsync();
        Assert.Equal(3UL, good.All[0].Size);
    }

    [Fact]
    public async Task One_at_a_time()
    {
        using (WitnessedLogs first = await OpenAsync())
        {
            Assert.Contains("Another witness", (await Assert.ThrowsAsync<StartupException>(OpenAsync)).Message, StringComparison.Ordinal);
        }
        using WitnessedLogs second = await OpenAsync();
    }

    [Theory]
    [InlineData("nothing", "quorum none")]
    [InlineData("log x\nquorum none\n", "line 1: MalformedKey")]
    [InlineData("log LOG\nlog LOG\nquorum none\n", "line 2: DuplicateKey")]
    [InlineData("log LOG\nwitness w WITNESS\nquorum none\n", "policy of clients")]
    [InlineData("log LOG\nwitness w WITNESS\nquorum w\n", "policy of clients")]
    [InlineData("log LOG\nlog OTHER\nquorum none\n", "two keys")]
    [InlineData("log OWN\nquorum none\n", "a key of its own")]
    public async Task Logs_that_cannot_be_meant_end_the_start(string text, string says)
    {
        var otherKey = new VerifierKey(Vectors.Log.Name, SignatureType.Ed25519, Vectors.Logs[1].PublicKey);
        var own = new VerifierKey("own", SignatureType.Ed25519, Vectors.Witness.PublicKey);
        _folder.WriteLogs(text.Replace("LOG", $"{Vectors.Log}", StringComparison.Ordinal)
            .Replace("OTHER", $"{otherKey}", StringComparison.Ordinal)
            .Replace("WITNESS", $"{Vectors.Witness}", StringComparison.Ordinal).Replace("OWN", $"{own}", StringComparison.Ordinal));

        Assert.Contains(says, (await Assert.ThrowsAsync<StartupException>(OpenAsync)).Message, StringComparison.Ordinal);
    }

    private Task<WitnessedLogs> OpenAsync() =>
        WitnessedLogs.OpenAsync(_folder.Place, _clock, NullLogger.Instance, TestContext.Current.CancellationToken);

    private static async Task<WitnessAnswer> AddAsync(WitnessedLogs logs, TestLog log, int oldSize, int size) =>
        await AddAsync(logs, await log.RequestAsync(oldSize, size));

    private static Task<WitnessAnswer> AddAsync(WitnessedLogs logs, byte[] body)
    {
        Assert.True(AddCheckpointRequest.TryParse(body, out AddCheckpointRequest? request));
        return logs.Find(request.Origin)!.AddAsync(request, 0, TestContext.Current.CancellationToken);
    }

    private static ulong TimeOf(WitnessAnswer answer)
    {
        Assert.Equal(200, answer.Status);
        Assert.True(NoteSignature.TryParseLine(Encoding.UTF8.GetBytes(answer.Body[..^1]), out NoteSignature? signature, out _));
        return System.Buffers.Binary.BinaryPrimitives.ReadUInt64BigEndian(signature.Signature.Span);
    }

    private sealed class HeldSigner(INoteSigner signer) : INoteSigner
    {
        private readonly TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public VerifierKey Key => signer.Key;

        public void Release() => _released.SetResult();

        public async ValueTask<byte[]> SignAsync(ReadOnlyMemory<byte> message, CancellationToken cancellationToken)
        {
            await _released.Task.WaitAsync(cancellationToken);
            return await signer.SignAsync(message, cancellationToken);
        }

        public void Dispose() => signer.Dispose();
    }

    private sealed class SetClock : TimeProvider
    {
        public long Seconds { get; set; } = 1000;

        public override DateTimeOffset GetUtcNow() => DateTimeOffset.FromUnixTimeSeconds(Seconds);
    }
}
