using System.Globalization;
using System.Security.Cryptography;
using Microsoft.Extensions.Options;
using Optiks.Storage;
using Optiks.Storage.Hosting;
using Optiks.UpdateTask.Hosting;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Leasing;

/// <summary>
/// Opens the database and waits for the lease, without a time limit for either. The lease names its holder by a text that no other process
/// uses.
/// </summary>
internal sealed class LeaseWaiter
{
    private static readonly TimeSpan s_retryInterval = TimeSpan.FromSeconds(1);

    private readonly StorageSource _storage;
    private readonly EpochOptions _options;
    private readonly TaskReport _report;
    private readonly TimeProvider _time;
    private readonly string _holder;

    public LeaseWaiter(StorageSource storage, IOptions<EpochOptions> options, TaskReport report, TimeProvider time)
    {
        _storage = storage;
        _options = options.Value;
        _report = report;
        _time = time;
        // The holder's name must be unique to the process, so that a restarted process is not mistaken for the holder that it replaces.
        _holder = string.Create(
            CultureInfo.InvariantCulture,
            $"{Environment.MachineName}/{Environment.ProcessId}/{RandomNumberGenerator.GetHexString(8, lowercase: true)}");
    }

    /// <summary>Opens the database, which the caller disposes.</summary>
    public async Task<PipelineStore> OpenAsync(CancellationToken stop)
    {
        while (true)
        {
            try
            {
                return await _storage.OpenPipelineAsync(stop);
            }
            catch (StorageUnavailableException e)
            {
                _report.DatabaseUnavailable(e);
                await PauseAsync(stop);
            }
        }
    }

    /// <summary>Waits for the lease and returns its keeper; the caller disposes the keeper.</summary>
    public async Task<LeaseKeeper> AcquireAsync(PipelineStore store, CancellationToken stop)
    {
        bool waiting = false;
        while (true)
        {
            try
            {
                if (await LeaseKeeper.TryAcquireAsync(store, _holder, _options.LeaseDuration, _time, _report.Log, stop) is { } keeper)
                {
                    _report.Log.LeaseAcquired(keeper.Lease.Fence);
                    return keeper;
                }
                if (!waiting)
                {
                    waiting = true;
                    _report.Log.Standby(_holder);
                }
                _report.Enter(TaskRole.Standby);
            }
            catch (StorageUnavailableException e)
            {
                _report.Enter(TaskRole.Starting);
                _report.DatabaseUnavailable(e);
            }
            await Task.Delay(_options.LeasePollInterval, _time, stop);
        }
    }

    /// <summary>Waits for the duration of one lease, so that a standby can take the lease first.</summary>
    public Task StandBackAsync(CancellationToken stop) => Task.Delay(_options.LeaseDuration, _time, stop);

    /// <summary>Waits for one second, so that the caller does not retry a failed step at once.</summary>
    public Task PauseAsync(CancellationToken stop) => Task.Delay(s_retryInterval, _time, stop);
}
