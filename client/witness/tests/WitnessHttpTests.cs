using System.Text;
using System.Text.Json;
using Optiks.Native;
using Optiks.Tlog;
using Optiks.Witness.Tests.Support;

namespace Optiks.Witness.Tests;

/// <summary>
/// Replays the 55 exchanges of witness-http.json, in order, with the running program. The expected answers follow the text of the
/// specification, even where the program that was recorded answered differently.
/// </summary>
public sealed class WitnessHttpTests
{
    // The HTTP statuses with which this witness answers, by exchange, where the specification or the vector allows several statuses.
    private static readonly Dictionary<string, int> s_chosen = new()
    {
        // A text without signatures is not a note.
        ["malformed-note-no-signature"] = 400,
        ["bad-proof-31-bytes"] = 400,
        ["bad-proof-64-lines"] = 400,
        ["body-over-16-KiB"] = 413,
        // This witness refuses the first request of a log if its old size is not 0. So the witness still has no state of that log in a
        // later exchange.
        ["log-b-first-contact-old-nonzero"] = 409,
        ["log-b-state"] = 200,
        ["log-d-state"] = 200,
    };

    [Fact]
    public async Task Every_exchange_ends_as_the_text_says()
    {
        Assert.Equal(55, Vectors.Exchanges.Length);
        using var folder = new TestFolder();
        await using WitnessProcess witness = await WitnessProcess.StartedAsync(folder);
        int cosigned = 0;
        foreach (JsonElement exchange in Vectors.Exchanges)
        {
            string id = exchange.Text("id");
            byte[] body = BodyOf(exchange);
            (int status, string? type, string text) = await witness.SendAsync(
                new HttpMethod(exchange.GetProperty("request").Text("method")), exchange.GetProperty("request").Text("path"), body);

            int expected = s_chosen.TryGetValue(id, out int chosen)
                ? chosen
                : int.Parse(exchange.Text("spec_status"), System.Globalization.CultureInfo.InvariantCulture);
            Assert.True(expected == status, $"{id}: {status} instead of {expected}: {text}");
            if (status == 200 && body.Length > 0)
            {
                cosigned++;
                AssertCosigned(body, text);
            }
            else if (status == 409)
            {
                Assert.Equal("text/x.tlog.size", type);
                Assert.Equal(id == "log-b-first-contact-old-nonzero" ? "0\n" : exchange.GetProperty("response").Text("body"), text);
            }
            else if (status == 200)
            {
                AssertMonitored(text, 600);
            }
        }
        Assert.Equal(12, cosigned);
        Assert.Equal(0, await witness.TerminateAsync());
        Assert.DoesNotContain("PRIVATE", witness.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_restart_answers_the_same_and_paths_have_one_spelling()
    {
        using var folder = new TestFolder();
        var log = new TestLog();
        string path = $"/{WitnessFolder.GetName(Vectors.Log.Name)}/checkpoint";
        string before;
        await using (WitnessProcess witness = await WitnessProcess.StartedAsync(folder))
        {
            Assert.Equal(404, (await witness.SendAsync(HttpMethod.Get, path, [])).Status);
            Assert.Equal(200, (await witness.AddAsync(await log.RequestAsync(0, 300))).Status);
            (int status, _, before) = await witness.SendAsync(HttpMethod.Get, path, []);
            Assert.Equal(200, status);
            AssertMonitored(before, 300);
            Assert.Equal(200, (await witness.SendAsync(HttpMethod.Get, "/health/ready", [])).Status);
            Assert.Equal(200, (await witness.SendAsync(HttpMethod.Get, "/health/live", [])).Status);
            Assert.Equal(0, await witness.TerminateAsync());
        }
        await using (WitnessProcess witness = await WitnessProcess.StartedAsync(folder))
        {
            Assert.Equal(before, (await witness.SendAsync(HttpMethod.Get, path, [])).Body);
            string[] others = [path + "/", path.ToUpperInvariant(), $"/{Vectors.Log.Name}/checkpoint", $"/{new string('0', 64)}/checkpoint",
                "/checkpoint", "/", path + "x", "/key", "/logs"];
            foreach (string other in others)
            {
                Assert.Equal(404, (await witness.SendAsync(HttpMethod.Get, other, [])).Status);
            }
            Assert.Equal((409, "text/x.tlog.size", "300\n"), await witness.AddAsync(await log.RequestAsync(0, 301)));
            Assert.Equal(200, (await witness.AddAsync(await log.RequestAsync(300, 301))).Status);
        }
    }

    private static byte[] BodyOf(JsonElement exchange)
    {
        if (exchange.GetProperty("request").GetProperty("body").GetString() is { } body)
        {
            return Encoding.UTF8.GetBytes(body);
        }
        string correct = Vectors.Exchanges.Single(other => other.Text("id") == "update-513-600").GetProperty("request").Text("body");
        byte[] large = Encoding.UTF8.GetBytes(correct + string.Concat(Enumerable.Repeat("— filler.example AAAAAAAA\n", 800)));
        Assert.InRange(large.Length, AddCheckpointRequest.MaxLength + 1, 32 * 1024);
        return large;
    }

    private static void AssertCosigned(byte[] body, string line)
    {
        Assert.True(AddCheckpointRequest.TryParse(body, out AddCheckpointRequest? request));
        Assert.Equal('\n', line[^1]);
        Assert.True(NoteSignature.TryParseLine(Encoding.UTF8.GetBytes(line[..^1]), out NoteSignature? signature, out _));
        Assert.Equal(TlogError.None,
            Cosignature.Verify(Ed25519.Verifier, Vectors.Witness, request.Note.Text.Span, signature, out ulong time));
        Assert.False(Cosignature.IsAhead(time, TimeProvider.System.GetUtcNow(), TimeSpan.FromSeconds(1)));
    }

    private static void AssertMonitored(string note, ulong size)
    {
        var verifier = new CheckpointVerifier(Vectors.Log, [Vectors.Witness], Ed25519.Verifier);
        Assert.True(verifier.TryOpen(Encoding.UTF8.GetBytes(note), out SignedCheckpoint? opened, out TlogError error), $"{error}");
        Assert.Equal(size, opened.Checkpoint.Size);
        Assert.Equal(Vectors.Witness, Assert.Single(opened.Cosignatures).Key);
        Assert.Equal(2, opened.Note.Signatures.Count);
    }
}
