using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting.Internal;
using Microsoft.Extensions.Logging.Abstractions;
using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Tests.Shared;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Hosting;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Witnesses;

namespace Optiks.UpdateTask.Tests.Support;

/// <summary>Provides tests with a real log, its board, and witnesses.</summary>
public abstract class WitnessedTests : IAsyncDisposable
{
    private static readonly TimeSpan s_timeout = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);

    private readonly List<IAsyncDisposable> _open = [];

    private protected static CancellationToken Cancel => TestContext.Current.CancellationToken;

    private protected TestFolder Folder { get; set; } = null!;

    private protected TaskHost Host { get; set; } = null!;

    private protected BoardFolder Board => new(Folder.Data);

    public async ValueTask DisposeAsync()
    {
        foreach (IAsyncDisposable one in Enumerable.Reverse(_open))
        {
            await one.DisposeAsync();
        }
        GC.SuppressFinalize(this);
        if (Host is not null)
        {
            await Host.DisposeAsync();
        }
        Folder?.Dispose();
    }

    /// <summary>
    /// Makes a log. If the parameter <paramref name="require"/> is true, the log's checkpoints wait for cosignatures before they are
    /// published.
    /// </summary>
    private protected async Task StartLogAsync(bool require = false)
    {
        Folder = await TestFolder.CreateAsync();
        await StartTaskAsync(require);
    }

    /// <summary>Starts a task for the log, after ending the earlier task if there was one.</summary>
    private protected async Task StartTaskAsync(bool require)
    {
        if (Host is not null)
        {
            await Host.DisposeAsync();
        }
        Host = await TaskHost.StartAsync(
            Folder, log: log => log.Heartbeat = TimeSpan.FromMilliseconds(1), witnesses: witnesses => witnesses.Require = require);
        await Host.StepAsync();
        Host.State.Enter(TaskRole.Leading);
        Host.State.Progress(Host.Session.Last.Epoch);
    }

    // Waits until the log's heartbeat has passed, which makes the task publish an epoch without updates.
    private protected async Task StepAsync()
    {
        ulong before = Host.Session.Last.Epoch;
        while (Host.Session.Last.Epoch == before)
        {
            await Task.Delay(2, Cancel);
            await Host.StepAsync();
        }
    }

    private protected async Task<TestWitness> WitnessAsync(
        Func<TestWitness, HttpContext, ulong, byte[], Task>? answer = null, bool https = false)
    {
        TestWitness witness = answer is null ? await TestWitness.StartAsync() : await TestWitness.StartAsync(answer, https);
        _open.Add(witness);
        return witness;
    }

    private protected WitnessPolicy Load(string policy)
    {
        string path = Path.Combine(Folder.Data.Root, "policy");
        File.WriteAllText(path, policy);
        return WitnessPolicy.Load(new WitnessOptions { PolicyFile = path })!;
    }

    private protected async Task<Running> RunAsync(string policy, bool require = false)
    {
        CheckpointVerifier verifier = Load(policy).CreateVerifier(TrustAnchor.Load(Folder.Data.TrustAnchor).LogKey);
        var options = new WitnessOptions
        {
            PolicyFile = Path.Combine(Folder.Data.Root, "policy"),
            Timeout = s_timeout,
            RetryAfter = TimeSpan.FromMilliseconds(200),
            Require = require,
        };
        var running = new Running(options, Board, Host.State, verifier);
        _open.Add(running);
        await running.Service.StartAsync(Cancel);
        return running;
    }

    private protected async Task<SignedCheckpoint> UntilAsync(Running running, Func<SignedCheckpoint, bool> wanted)
    {
        SignedCheckpoint? found = null;
        await UntilAsync(async () =>
        {
            if (!File.Exists(Path.Combine(Board.Log, "checkpoint")))
            {
                return false;
            }
            Assert.True(
                running.Verifier.TryOpen(await File.ReadAllBytesAsync(Path.Combine(Board.Log, "checkpoint"), Cancel), out found,
                    out TlogError error), $"{error}");
            return found.Checkpoint.Size == Host.Session.Last.Epoch + 1 && wanted(found);
        });
        return found!;
    }

    private protected static Task UntilAsync(Func<bool> condition) => UntilAsync(() => Task.FromResult(condition()));

    private protected static Task UntilAsync(Func<Task<bool>> condition) => Eventually.IsAsync(condition, s_patience);

    private protected sealed class Running : IAsyncDisposable
    {
        private readonly ApplicationLifetime _lifetime = new(NullLogger<ApplicationLifetime>.Instance);
        private readonly HostFailure _failure;
        private readonly WitnessReplyMetrics _metrics;
        private bool _stopped;

        public Running(WitnessOptions options, BoardFolder board, TaskState task, CheckpointVerifier verifier)
        {
            Verifier = verifier;
            State = new WitnessState(TimeProvider.System);
            _failure = new HostFailure(_lifetime);
            _metrics = new WitnessReplyMetrics(new TestMeters(), State);
            Service = new WitnessService(
                Microsoft.Extensions.Options.Options.Create(options), Microsoft.Extensions.Options.Options.Create(new EpochOptions()),
                board, task, State, _metrics, _failure, TimeProvider.System,
                NullLogger<WitnessService>.Instance);
        }

        public CheckpointVerifier Verifier { get; }

        public WitnessState State { get; }

        public WitnessService Service { get; }

        public async Task StopAsync()
        {
            if (!_stopped)
            {
                _stopped = true;
                await Service.StopAsync(CancellationToken.None);
                _failure.ThrowIfFailed();
            }
        }

        public async ValueTask DisposeAsync()
        {
            await StopAsync();
            Service.Dispose();
            _metrics.Dispose();
        }
    }

    private sealed class TestMeters : System.Diagnostics.Metrics.IMeterFactory
    {
        public System.Diagnostics.Metrics.Meter Create(System.Diagnostics.Metrics.MeterOptions options) => new(options.Name);

        public void Dispose()
        {
        }
    }
}
