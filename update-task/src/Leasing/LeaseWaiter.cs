using System.Globalization;
using System.Security.Cryptography;
using Microsoft.Extensions.Options;
using Optiks.Storage;
using Optiks.Storage.Hosting;
using Optiks.UpdateTask.Hosting;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Leasing;

/// <summary>LeaseWaiter opens the database and waits for the lease, however long either takes. Its name in the lease is the process's own.</summary>
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
        // Unique to the process: a restart must not be taken for the holder that it replaces.
        _holder = string.Create(
            CultureInfo.InvariantCulture, $"{Environment.MachineName}/{Environment.ProcessId}/{RandomNumberGenerator.GetHexString(8, lowercase: true)}");
    }

    /// <summary>OpenAsync gives the database, which the caller disposes of.</summary>
    public async Task<IPipelineStore> OpenAsync(CancellationToken stop)
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

    /// <summary>AcquireAsync gives the lease once it is free. Its caller disposes of it.</summary>
    public async Task<LeaseKeeper> AcquireAsync(IPipelineStore store, CancellationToken stop)
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

    /// <summary>StandBackAsync waits for as long as a lease lasts, so that any standby is faster.</summary>
    public Task StandBackAsync(CancellationToken stop) => Task.Delay(_options.LeaseDuration, _time, stop);

    /// <summary>PauseAsync waits before what failed is tried again.</summary>
    public Task PauseAsync(CancellationToken stop) => Task.Delay(s_retryInterval, _time, stop);
}
