using Microsoft.AspNetCore.Http;
using Optiks.Protocol;
using Optiks.Tlog;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Tests.Support;
using Optiks.UpdateTask.Witnesses;

namespace Optiks.UpdateTask.Tests;

/// <summary>Tests how the task deals with honest and hostile witnesses, with a real log and board.</summary>
public sealed class WitnessTests : WitnessedTests
{
    [Fact]
    public async Task Enough_witnesses_make_a_cosigned_checkpoint_and_the_next_epoch_goes_on_from_it()
    {
        await StartLogAsync();
        TestWitness[] witnesses = [await WitnessAsync(), await WitnessAsync()];
        Running running = await RunAsync($"{witnesses[0].Line("a")}{witnesses[1].Line("b")}group both all a b\nquorum both\n");
        ulong size = (await UntilAsync(running, checkpoint => checkpoint.Cosignatures.Count == 2)).Checkpoint.Size;
        for (ulong more = 1; more < 4; more++)
        {
            await StepAsync();
            SignedCheckpoint cosigned = await UntilAsync(running, checkpoint => checkpoint.Cosignatures.Count == 2);
            Assert.Equal(size + more, cosigned.Checkpoint.Size);
            Assert.Equal(cosigned.Checkpoint.Origin, cosigned.Note.Signatures[0].Name);
            Assert.Equal(3, cosigned.Note.Signatures.Count);
        }
        await UntilAsync(() => running.State.IsQuorumMet);
        Assert.Equal("2 of 2 witnesses cosign.", running.State.Describe(TimeSpan.Zero));
        Assert.All(running.State.Standings, one => Assert.Equal((WitnessOutcome.Cosigned, size + 3), (one.Outcome, one.Size)));
        // As its old size, each request must have named the size of the last checkpoint that the witness cosigned.
        Assert.Equal([0, size, size + 1, size + 2], witnesses[0].OldSizes.ToArray());

        // A task that starts with a cosigned checkpoint on the board must accept that checkpoint as the log's own.
        await Host.DisposeAsync();
        Host = await TaskHost.StartAsync(Folder);
        await Host.StepAsync();
    }

    [Fact]
    public async Task Whoever_lies_is_not_believed_and_holds_nobody_up()
    {
        await StartLogAsync();
        TestWitness good = await WitnessAsync();
        TestWitness other = await WitnessAsync();
        byte[] otherText = new Checkpoint("other.example/log", 2, Rfc6962.EmptyRoot).Encode();
        var liars = new Dictionary<string, (WitnessOutcome Expected, Func<TestWitness, HttpContext, ulong, byte[], Task> Answer)>
        {
            ["other-root"] = (WitnessOutcome.Invalid,
                async (witness, context, _, _) => await context.Response.WriteAsync(await witness.CosignAsync(otherText))),
            ["other-key"] = (WitnessOutcome.Invalid,
                async (_, context, _, text) => await context.Response.WriteAsync(await good.CosignAsync(text))),
            ["own-name-other-key"] = (WitnessOutcome.Invalid, async (witness, context, _, text) =>
                await context.Response.WriteAsync(
                    (await good.CosignAsync(text)).Replace(good.Key.Name, witness.Key.Name, StringComparison.Ordinal))),
            ["future"] = (WitnessOutcome.Invalid,
                async (witness, context, _, text) => await context.Response.WriteAsync(await witness.CosignAsync(text, ahead: 60))),
            ["empty"] = (WitnessOutcome.Invalid, (_, context, _, _) => context.Response.WriteAsync("")),
            ["junk"] = (WitnessOutcome.Invalid, (_, context, _, _) => context.Response.WriteAsync("<html>\n\n— a\n")),
            ["no-newline"] = (WitnessOutcome.Invalid,
                async (witness, context, _, text) => await context.Response.WriteAsync((await witness.CosignAsync(text)).TrimEnd('\n'))),
            ["redirect"] = (WitnessOutcome.Invalid, (_, context, _, _) => Redirect(context, $"{other.Url}/add-checkpoint")),
            ["ahead"] = (WitnessOutcome.Ahead, (_, context, _, _) => ConflictAsync(context, "1000000\n")),
            ["same-size-again"] = (WitnessOutcome.Invalid, (_, context, oldSize, _) => ConflictAsync(context, $"{oldSize}\n")),
            ["size-in-other-words"] = (WitnessOutcome.Invalid, (_, context, _, _) => ConflictAsync(context, "01\n")),
            ["size-of-other-type"] = (WitnessOutcome.Invalid, (_, context, _, _) => ConflictAsync(context, "1\n", "text/plain")),
            ["here-and-there"] = (WitnessOutcome.Invalid, (_, context, oldSize, _) => ConflictAsync(context, oldSize == 0 ? "1\n" : "0\n")),
            ["forbidden"] = (WitnessOutcome.Refused, (_, context, _, _) => StatusAsync(context, 403)),
            ["fork"] = (WitnessOutcome.Refused, (_, context, _, _) => StatusAsync(context, 422)),
            ["busy"] = (WitnessOutcome.Unavailable, (_, context, _, _) => StatusAsync(context, 429)),
            ["broken"] = (WitnessOutcome.Unavailable, (_, context, _, _) => StatusAsync(context, 500)),
        };
        var clients = new Dictionary<string, TestWitness>();
        foreach ((string name, (_, Func<TestWitness, HttpContext, ulong, byte[], Task> answer)) in liars)
        {
            clients[name] = await WitnessAsync(answer);
        }
        // The hostile witnesses are tested in groups, because a policy has room for only 14 of them in addition to the honest witness.
        foreach (string[] some in clients.Keys.Chunk(14))
        {
            string text = good.Line("good") + string.Concat(some.Select(name => clients[name].Line(name))) + "quorum good\n";
            Running running = await RunAsync(text);
            await StepAsync();
            SignedCheckpoint cosigned = await UntilAsync(running, checkpoint => checkpoint.Cosignatures.Count == 1);
            Assert.Equal(good.Key, cosigned.Cosignatures[0].Key);
            await UntilAsync(() => running.State.Standings.Count == some.Length + 1);
            foreach (string name in some)
            {
                WitnessStanding standing = running.State.Standings.Single(one => one.Witness.Equals(clients[name].Key));
                Assert.Equal((name, liars[name].Expected, 0UL), (name, standing.Outcome, standing.Size));
            }
            await running.StopAsync();
        }
        // This witness claimed a size that the log does not have. No request may have named that size.
        Assert.All(clients["ahead"].OldSizes, oldSize => Assert.Equal(0UL, oldSize));
        Assert.Empty(other.OldSizes);
    }

    [Fact]
    public async Task Who_does_not_answer_is_waited_for_by_nobody()
    {
        await StartLogAsync();
        TestWitness good = await WitnessAsync();
        var silent = new TaskCompletionSource();
        TestWitness slow = await WitnessAsync((_, context, _, _) => silent.Task.WaitAsync(context.RequestAborted));
        TestWitness endless = await WitnessAsync(async (_, context, _, _) =>
        {
            while (true)
            {
                await context.Response.WriteAsync("— w.example AAAAAAAA\n", context.RequestAborted);
            }
        });
        TestWitness dripping = await WitnessAsync(async (_, context, _, _) =>
        {
            while (true)
            {
                await context.Response.WriteAsync("—", context.RequestAborted);
                await context.Response.Body.FlushAsync(context.RequestAborted);
                await Task.Delay(100, context.RequestAborted);
            }
        });
        TestWitness untrusted = await WitnessAsync((_, context, _, _) => context.Response.WriteAsync("unreachable"), https: true);
        TestWitness dead = await TestWitness.StartAsync();
        string deadLine = dead.Line("dead");
        await dead.DisposeAsync();
        Running running = await RunAsync(
            $"{good.Line("good")}{slow.Line("slow")}{endless.Line("endless")}{dripping.Line("dripping")}{untrusted.Line("untrusted")}{deadLine}group all all good slow endless dripping untrusted dead\nquorum all\n");
        ulong size = (await UntilAsync(running, checkpoint => checkpoint.Cosignatures.Count == 1)).Checkpoint.Size;
        for (ulong more = 1; more < 4; more++)
        {
            await StepAsync();
            SignedCheckpoint cosigned = await UntilAsync(running, checkpoint => checkpoint.Cosignatures.Count == 1);
            Assert.Equal(size + more, cosigned.Checkpoint.Size);
        }
        await UntilAsync(() => running.State.Standings.Count == 6);
        Assert.All(
            running.State.Standings,
            standing => Assert.Equal(
                standing.Witness.Equals(good.Key) ? WitnessOutcome.Cosigned : WitnessOutcome.Unavailable, standing.Outcome));
        Assert.Empty(untrusted.OldSizes);
        Assert.False(running.State.IsQuorumMet);
        Assert.Equal($"The quorum of witnesses has been missing since size {size}: 1 of 6 witnesses cosign.",
            running.State.Describe(TimeSpan.Zero));
        Assert.Equal("1 of 6 witnesses cosign.", running.State.Describe(TimeSpan.FromDays(1)));
    }

    [Theory]
    [InlineData("text/x.tlog.size")]
    [InlineData("text/x.tlog.size; charset=utf-8")]
    [InlineData("Text/X.Tlog.Size;charset=UTF-8")]
    public async Task A_witness_is_followed_to_where_it_is_and_gets_the_newest(string type)
    {
        await StartLogAsync();
        for (int i = 0; i < 5; i++)
        {
            await StepAsync();
        }
        TestWitness witness = await WitnessAsync(async (self, context, oldSize, text) =>
        {
            if (oldSize == 0)
            {
                await ConflictAsync(context, "3\n", type);
                return;
            }
            await context.Response.WriteAsync(await self.CosignAsync(text));
        });
        Running running = await RunAsync($"{witness.Line("w")}quorum w\n");
        Assert.Equal(Host.Session.Last.Epoch + 1,
            (await UntilAsync(running, checkpoint => checkpoint.Cosignatures.Count == 1)).Checkpoint.Size);
        Assert.Equal([0UL, 3], witness.OldSizes.ToArray());
    }

    [Fact]
    public async Task A_witness_that_forgets_is_told_of_and_asked_on()
    {
        await StartLogAsync();
        await StepAsync();
        ulong stored = 0;
        TestWitness witness = await WitnessAsync(async (self, context, oldSize, text) =>
        {
            if (oldSize != stored)
            {
                await ConflictAsync(context, $"{stored}\n");
                return;
            }
            Assert.True(Checkpoint.TryParse(text, out Checkpoint? checkpoint, out _));
            stored = checkpoint.Size;
            await context.Response.WriteAsync(await self.CosignAsync(text));
        });
        WitnessAddress address = Assert.Single(Load($"{witness.Line("w")}quorum w\n").Witnesses);
        using var client = new WitnessClient(address, Board, TimeProvider.System, TimeSpan.FromSeconds(60), TimeSpan.FromSeconds(5));

        WitnessReply first = await AskAsync(client);
        Assert.Equal((WitnessOutcome.Cosigned, false), (first.Outcome, first.WentBack));
        await StepAsync();
        WitnessReply second = await AskAsync(client);
        Assert.Equal((WitnessOutcome.Cosigned, false), (second.Outcome, second.WentBack));
        stored = 1;
        WitnessReply third = await AskAsync(client);
        Assert.Equal((WitnessOutcome.Cosigned, true), (third.Outcome, third.WentBack));
        WitnessReply fourth = await AskAsync(client);
        Assert.Equal((WitnessOutcome.Cosigned, false), (fourth.Outcome, fourth.WentBack));
    }

    [Theory]
    [InlineData("missing", "PolicyFile")]
    [InlineData("", "line 0: MissingQuorum")]
    [InlineData("quorum none\n", "0 witnesses")]
    [InlineData("witness w KEY\nquorum w\n", "no URL")]
    [InlineData("witness w KEY ftp://w.example\nquorum w\n", "no URL")]
    [InlineData("witness w KEY https://user:secret@w.example\nquorum w\n", "no URL")]
    [InlineData("witness w KEY w.example\nquorum w\n", "no URL")]
    [InlineData("witness w KEY https://w.example#x\nquorum w\n", "no URL")]
    public async Task A_policy_that_cannot_be_used_ends_the_start(string text, string says)
    {
        Folder = await TestFolder.CreateAsync();
        var key = new VerifierKey("w", SignatureType.CosignatureV1, Native.Ed25519.PublicKey(new byte[32]));
        string path = Path.Combine(Folder.Data.Root, "policy");
        if (text != "missing")
        {
            await File.WriteAllTextAsync(path, text.Replace("KEY", $"{key}", StringComparison.Ordinal), Cancel);
        }

        StartupException refused = Assert.Throws<StartupException>(() => WitnessPolicy.Load(new WitnessOptions { PolicyFile = path }));

        Assert.Contains(says, refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", refused.Message, StringComparison.Ordinal);
        await using TaskProcess task = TaskProcess.Start(Folder, null, $"--Optiks:Witnesses:PolicyFile={path}");
        Assert.Equal(ExitCodes.Configuration, await task.ExitAsync());
        Assert.Contains(says, task.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_policy_of_another_log_is_refused()
    {
        await StartLogAsync();
        TestWitness witness = await WitnessAsync();
        VerifierKey log = TrustAnchor.Load(Folder.Data.TrustAnchor).LogKey;
        var otherLog = new VerifierKey(log.Name, SignatureType.Ed25519, Native.Ed25519.PublicKey(new byte[32]));
        var logAsWitness = new VerifierKey("w", SignatureType.CosignatureV1, log.PublicKey);

        Assert.Contains("names logs, but not",
            Assert.Throws<StartupException>(() => Load($"log {otherLog}\n{witness.Line("w")}quorum w\n").CreateVerifier(log)).Message,
            StringComparison.Ordinal);
        Assert.Contains("own key",
            Assert.Throws<StartupException>(
                () => Load($"witness w {logAsWitness} https://w.example\nquorum w\n").CreateVerifier(log)).Message,
                StringComparison.Ordinal);
        Assert.Equal(log, Load($"log {otherLog}\nlog {log}\n{witness.Line("w")}quorum w\n").CreateVerifier(log).LogKey);
    }

    private async Task<WitnessReply> AskAsync(WitnessClient client)
    {
        byte[] octets = await File.ReadAllBytesAsync(Path.Combine(Board.Log, "checkpoint"), Cancel);
        Assert.True(SignedNote.TryParse(octets, out SignedNote? note, out _));
        Assert.True(Checkpoint.TryParse(note.Text.Span, out Checkpoint? checkpoint, out _));
        return await client.AskAsync(note, checkpoint, () => Task.FromResult(checkpoint.Size), Cancel);
    }

    private static Task Redirect(HttpContext context, string to)
    {
        context.Response.StatusCode = StatusCodes.Status307TemporaryRedirect;
        context.Response.Headers.Location = to;
        return Task.CompletedTask;
    }

    private static Task StatusAsync(HttpContext context, int status)
    {
        context.Response.StatusCode = status;
        return Task.CompletedTask;
    }

    private static Task ConflictAsync(HttpContext context, string body, string type = "text/x.tlog.size")
    {
        context.Response.StatusCode = StatusCodes.Status409Conflict;
        context.Response.ContentType = type;
        return context.Response.WriteAsync(body);
    }
}
