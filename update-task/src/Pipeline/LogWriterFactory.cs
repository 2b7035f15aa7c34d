using Microsoft.Extensions.Options;
using Optiks.Storage;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Buckets;
using Optiks.UpdateTask.Leasing;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Periods;
using Optiks.UpdateTask.Telemetry;
using Optiks.UpdateTask.Time;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>Makes a <see cref="LogWriter"/>, with all the objects that it needs, for each lease.</summary>
internal sealed class LogWriterFactory
{
    private readonly EpochOptions _options;
    private readonly PeriodOptions _periods;
    private readonly EpochMaker _maker;
    private readonly BoardFolder _folder;
    private readonly BoardLocker _locker;
    private readonly BucketGuard _guard;
    private readonly ClockGuard _clocks;
    private readonly TaskReport _report;
    private readonly TimeProvider _time;

    public LogWriterFactory(
        IOptions<EpochOptions> options, IOptions<PeriodOptions> periods, EpochMaker maker, BoardFolder folder, BoardLocker locker,
        BucketGuard guard, ClockGuard clocks, TaskReport report, TimeProvider time)
    {
        _options = options.Value;
        _periods = periods.Value;
        _maker = maker;
        _folder = folder;
        _locker = locker;
        _guard = guard;
        _clocks = clocks;
        _report = report;
        _time = time;
    }

    /// <summary>
    /// Makes the writer for one lease. The caller must dispose the writer before the session, and the session before the lease's keeper.
    /// </summary>
    public LogWriter Create(PipelineStore store, LeaseKeeper keeper, LogSession session)
    {
        var log = new LeasedLog(store, keeper, session, _folder, _locker);
        return new LogWriter(
            log,
            _maker,
            new EpochCommitter(log, _options, _report, _time),
            new EpochPublisher(log, _folder, _guard, _options.KeptBundles),
            new UpdateReader(store, session, _options, _report.Metrics),
            new PeriodKeeper(log, _periods, _report),
            _clocks,
            _report,
            _options.PurgedRequestsPerEpoch);
    }
}
