using System.Globalization;
using System.Text;
using Optiks.Native;
using Optiks.Tlog;
using Optiks.Witness.Tests.Support;

namespace Optiks.Witness.Tests;

/// <summary>
/// Kills the witness with <c>kill -9</c> at each step of a write and at random times. Meanwhile a log with two histories sends requests for
/// both histories at once. In all answers before and after the kills together, the witness may sign only one root for each size, and every
/// checkpoint that it signed must be on disk. The environment variable <c>OPTIKS_WITNESS_ROUNDS</c> sets the number of kills; the default
/// is 6.
/// </summary>
public sealed class WitnessKillTests
{
    private static readonly int s_rounds = int.Parse(
        Environment.GetEnvironmentVariable("OPTIKS_WITNESS_ROUNDS") is { Length: > 0 } rounds ? rounds : "6", CultureInfo.InvariantCulture);

    private const int MostSteps = 3;

    private readonly Dictionary<ulong, TreeHash> _cosigned = [];
    private readonly Lock _lock = new();

    [Fact]
    public async Task Never_two_roots_for_a_size_and_never_a_signature_that_is_not_on_disk()
    {
        using var folder = new TestFolder();
        // The seed is fixed, so each run has the same order of histories and the same delays before kills.
        var random = new Random(62);
        var current = new TestLog();
        int size = 0;
        for (int round = 0; round < s_rounds; round++)
        {
            string? point = (round % 3) switch { 0 => FailPoints.WitnessStore, 1 => FailPoints.WitnessSign, _ => null };
            TestLog fork = current.Fork(size);
            TestLog[] both = random.Next(2) == 0 ? [current, fork] : [fork, current];
            await using WitnessProcess witness = await WitnessProcess.StartedAsync(folder, point);
            await CheckStartAsync(witness, current, size);
            int from = size;
            Task<int>[] asked = [.. both.Select(log => AskAsync(witness, log, from))];
            if (point is null)
            {
                await Task.Delay(random.Next(60), TestContext.Current.CancellationToken);
                witness.Kill();
            }
            int answered = (await Task.WhenAll(asked)).Sum();
            Assert.Equal(WitnessProcess.Killed, await witness.ExitAsync());
            Assert.True(point is null || answered == 0, $"{point}: {answered} answers");

            WitnessedState? state = ReadState(folder);
            Assert.True(point is null || state?.Checkpoint.Size == (ulong)size + 1, $"{point}: the state is not on disk");
            if (state is not null)
            {
                size = (int)state.Checkpoint.Size;
                // Continue with the history that the witness stored. If the witness stored nothing new, both histories match its state.
                current = both.First(log => log.Root(size) == state.Checkpoint.Root);
            }
            lock (_lock)
            {
                Assert.All(
                    _cosigned,
                    one => Assert.True(one.Key <= (ulong)size && one.Value == current.Root((int)one.Key),
                        $"size {one.Key} is signed and not on disk"));
            }
        }
        Assert.True(s_rounds < 6 || size > 2, "nothing was cosigned");
    }

    // Checks that the witness accepts only the history that was on disk when it was killed.
    private async Task CheckStartAsync(WitnessProcess witness, TestLog log, int size)
    {
        if (size == 0)
        {
            return;
        }
        (int status, _, string note) =
            await witness.SendAsync(HttpMethod.Get, $"/{WitnessFolder.GetName(Vectors.Log.Name)}/checkpoint", []);
        Assert.Equal(200, status);
        Assert.True(
            new CheckpointVerifier(Vectors.Log, [Vectors.Witness], Ed25519.Verifier).TryOpen(
                Encoding.UTF8.GetBytes(note), out SignedCheckpoint? opened, out _));
        Assert.Equal(((ulong)size, log.Root(size)), (opened.Checkpoint.Size, opened.Checkpoint.Root));
        Note(opened.Checkpoint);
        Assert.Equal(422, (await witness.AddAsync(await log.Fork(size - 1).RequestAsync(size, size))).Status);
        Assert.Equal(422, (await witness.AddAsync(await log.Fork(size - 1).RequestAsync(size, size + 3))).Status);
    }

    // Sends checkpoints, each with one more entry, until the witness is killed. Returns the number of cosignatures that the witness
    // returned.
    private async Task<int> AskAsync(WitnessProcess witness, TestLog log, int size)
    {
        int answers = 0;
        try
        {
            while (true)
            {
                // After `MostSteps` answers, repeat the same size, because the vectors have only a limited number of entries for all
                // rounds.
                int next = answers < MostSteps ? size + 1 : size;
                (int status, _, string line) = await witness.AddAsync(await log.RequestAsync(size, next));
                if (status != 200)
                {
                    // The witness has accepted the other history first. So it refuses the requests of this history until it is killed.
                    Assert.Contains(status, (int[])[409, 422]);
                    await Task.Delay(1, TestContext.Current.CancellationToken);
                    continue;
                }
                size = next;
                byte[] body = new Checkpoint(Vectors.Log.Name, (ulong)size, log.Root(size)).Encode();
                Assert.True(NoteSignature.TryParseLine(Encoding.UTF8.GetBytes(line[..^1]), out NoteSignature? signature, out _));
                Assert.Equal(TlogError.None, Cosignature.Verify(Ed25519.Verifier, Vectors.Witness, body, signature, out _));
                Note(new Checkpoint(Vectors.Log.Name, (ulong)size, log.Root(size)));
                answers++;
            }
        }
        catch (HttpRequestException)
        {
            return answers;
        }
    }

    private void Note(Checkpoint cosigned)
    {
        lock (_lock)
        {
            Assert.True(_cosigned.TryAdd(cosigned.Size, cosigned.Root) || _cosigned[cosigned.Size] == cosigned.Root,
                $"two roots of size {cosigned.Size} were cosigned");
        }
    }

    private static WitnessedState? ReadState(TestFolder folder)
    {
        string path = folder.StateOf(Vectors.Log);
        if (!File.Exists(path))
        {
            return null;
        }
        Assert.True(WitnessedState.TryDecode(File.ReadAllBytes(path), out WitnessedState? state));
        return state;
    }
}
