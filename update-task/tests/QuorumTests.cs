using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Optiks.Tlog;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Tests.Support;
using Optiks.UpdateTask.Witnesses;

namespace Optiks.UpdateTask.Tests;

/// <summary>Tests a log that requires cosignatures, so that a checkpoint waits for its witnesses before it is published.</summary>
public sealed class QuorumTests : WitnessedTests
{
    private string Published => Path.Combine(Board.Log, "checkpoint");

    [Fact]
    public async Task What_lacks_the_quorum_is_not_published_and_epochs_go_on()
    {
        await StartLogAsync(require: true);
        bool answers = false;
        TestWitness good = await WitnessAsync();
        TestWitness other = await WitnessAsync(async (self, context, _, text) =>
        {
            if (!Volatile.Read(ref answers))
            {
                context.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
                return;
            }
            await context.Response.WriteAsync(await self.CosignAsync(text));
        });
        Running running = await RunAsync(
            $"{good.Line("good")}{other.Line("other")}group both all good other\nquorum both\n", require: true);
        for (int i = 0; i < 5; i++)
        {
            await StepAsync();
        }
        await UntilAsync(() => good.OldSizes.Count > 1 && running.State.Standings.Count == 2);
        Assert.False(File.Exists(Published));
        await UntilAsync(() => running.State.Waiting == Host.Session.Last.Epoch + 1);
        Assert.Equal((await Host.Store.ReadHeadAsync(Cancel)).PublishedEpoch, Host.Session.Last.Epoch);
        Assert.StartsWith("The quorum of witnesses has been missing since size ", running.State.Describe(TimeSpan.Zero),
            StringComparison.Ordinal);
        Assert.EndsWith(": 1 of 2 witnesses cosign. Nothing beyond size 0 is published.", running.State.Describe(TimeSpan.Zero),
            StringComparison.Ordinal);
        Assert.Equal(HealthStatus.Unhealthy, await HealthAsync(running.State, TimeSpan.Zero));
        Assert.Equal(HealthStatus.Healthy, await HealthAsync(running.State, TimeSpan.FromDays(1)));

        Volatile.Write(ref answers, true);
        Assert.Equal(2, (await UntilAsync(running, checkpoint => checkpoint.Cosignatures.Count == 2)).Cosignatures.Count);
        await UntilAsync(() => running.State is { Waiting: 0, IsQuorumMet: true });
        Assert.Equal(HealthStatus.Healthy, await HealthAsync(running.State, TimeSpan.Zero));

        // The witness becomes unavailable again. The published checkpoint must stay, and checkpoints that are signed from now on must wait.
        Volatile.Write(ref answers, false);
        byte[] before = await File.ReadAllBytesAsync(Published, Cancel);
        ulong size = Host.Session.Last.Epoch + 1;
        await StepAsync();
        await StepAsync();
        await UntilAsync(() => running.State.Waiting == 2);
        Assert.EndsWith($"Nothing beyond size {size} is published.", running.State.Describe(TimeSpan.Zero), StringComparison.Ordinal);
        Assert.Equal(before, await File.ReadAllBytesAsync(Published, Cancel));
    }

    [Fact]
    public async Task Witnesses_of_different_speed_cosign_the_same_checkpoint()
    {
        await StartLogAsync(require: true);
        TestWitness[] witnesses = [await WitnessAsync(), await SlowAsync(30), await SlowAsync(70)];
        Running running = await RunAsync(
            $"{witnesses[0].Line("a")}{witnesses[1].Line("b")}{witnesses[2].Line("c")}group all all a b c\nquorum all\n", require: true);
        ulong last = 0;
        for (int published = 0; published < 4;)
        {
            await StepAsync();
            if (!File.Exists(Published))
            {
                continue;
            }
            Assert.True(running.Verifier.TryOpen(await File.ReadAllBytesAsync(Published, Cancel), out SignedCheckpoint? checkpoint, out _));
            Assert.Equal(3, checkpoint.Cosignatures.Count);
            Assert.True(checkpoint.Checkpoint.Size >= last);
            published += checkpoint.Checkpoint.Size > last ? 1 : 0;
            last = checkpoint.Checkpoint.Size;
        }
        // More epochs were made than checkpoints were published, which shows that epochs do not wait for cosignatures.
        Assert.True(Host.Session.Last.Epoch > 4);
        await UntilAsync(running, checkpoint => checkpoint.Cosignatures.Count == 3);
    }

    [Fact]
    public async Task Who_comes_after_the_quorum_is_added_and_waited_for_by_nobody()
    {
        await StartLogAsync(require: true);
        var late = new TaskCompletionSource();
        TestWitness good = await WitnessAsync();
        TestWitness slow = await WitnessAsync(async (self, context, _, text) =>
        {
            await late.Task.WaitAsync(context.RequestAborted);
            await context.Response.WriteAsync(await self.CosignAsync(text));
        });
        Running running = await RunAsync($"{good.Line("good")}{slow.Line("slow")}group any any good slow\nquorum any\n", require: true);
        await UntilAsync(() => File.Exists(Published));
        await UntilAsync(running, checkpoint => checkpoint.Cosignatures.Count == 1);
        await StepAsync();
        await UntilAsync(running, checkpoint => checkpoint.Cosignatures.Count == 1);
        late.SetResult();
        // The slow witness now answers for a checkpoint that is no longer the newest. In later rounds it answers for newer checkpoints.
        await StepAsync();
        await UntilAsync(running, checkpoint => checkpoint.Cosignatures.Count == 2);
    }

    [Fact]
    public async Task A_task_that_starts_goes_on_from_what_waits()
    {
        await StartLogAsync(require: true);
        await StepAsync();
        ulong signed = Host.Session.Last.Epoch + 1;
        Assert.False(File.Exists(Published));

        await StartTaskAsync(require: true);
        await StepAsync();
        Assert.True(Host.Session.Board.Size > signed);
        TestWitness good = await WitnessAsync();
        Running running = await RunAsync($"{good.Line("good")}quorum good\n", require: true);
        await UntilAsync(() => File.Exists(Published));
        await UntilAsync(running, checkpoint => checkpoint.Cosignatures.Count == 1);
        await running.StopAsync();
        await StepAsync();
        await StepAsync();

        // The task is restarted with optional cosignatures, so it must publish checkpoints without waiting.
        await StartTaskAsync(require: false);
        await StepAsync();
        Assert.True(running.Verifier.TryOpen(await File.ReadAllBytesAsync(Published, Cancel), out SignedCheckpoint? checkpoint, out _));
        Assert.Equal((Host.Session.Last.Epoch + 1, 0), (checkpoint.Checkpoint.Size, checkpoint.Cosignatures.Count));

        // The task is restarted with required cosignatures. The published checkpoint must stay until the quorum cosigns a newer one.
        await StartTaskAsync(require: true);
        byte[] before = await File.ReadAllBytesAsync(Published, Cancel);
        await StepAsync();
        Assert.Equal(before, await File.ReadAllBytesAsync(Published, Cancel));
    }

    [Fact]
    public async Task A_quorum_that_nobody_makes_is_refused()
    {
        Folder = await TestFolder.CreateAsync();
        string path = Path.Combine(Folder.Data.Root, "policy");
        var key = new VerifierKey("w", SignatureType.CosignatureV1, Native.Ed25519.PublicKey(new byte[32]));
        await File.WriteAllTextAsync(path, $"witness w {key} https://w.example\nquorum none\n", Cancel);
        Assert.Contains(
            "met without any cosignature",
            Assert.Throws<StartupException>(() => WitnessPolicy.Load(new WitnessOptions { PolicyFile = path, Require = true })).Message,
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("", true, "needs a policy")]
    [InlineData("policy", true, null)]
    [InlineData("", false, null)]
    public void A_quorum_is_required_of_a_policy(string file, bool require, string? says) =>
        Assert.Equal(says is not null,
            new WitnessOptionsValidator().Validate(
                null, new WitnessOptions { PolicyFile = file, Require = require }).FailureMessage?.Contains(says ?? "",
                    StringComparison.Ordinal) == true);

    private static async Task<HealthStatus> HealthAsync(WitnessState state, TimeSpan grace)
    {
        var options = Microsoft.Extensions.Options.Options.Create(new WitnessOptions { Require = true, QuorumGrace = grace });
        return (await new WitnessHealthCheck(state, options).CheckHealthAsync(new HealthCheckContext(), Cancel)).Status;
    }

    private Task<TestWitness> SlowAsync(int milliseconds) => WitnessAsync(async (self, context, _, text) =>
    {
        await Task.Delay(milliseconds, context.RequestAborted);
        await context.Response.WriteAsync(await self.CosignAsync(text));
    });
}
