using System.Diagnostics;
using Microsoft.Extensions.Logging;
using Optiks.Native;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Writes a directory's trees to a snapshot file from time to time, in the background, so that the next start need not load the whole log.
/// After a failure, which the saver logs, the earlier file stays. Only one thread at a time may use a saver.
/// </summary>
public sealed class SnapshotSaver
{
    private readonly string _path;
    private readonly TimeSpan _interval;
    private readonly TimeProvider _clock;
    private readonly ILogger _logger;
    private readonly Action<OptiksNativeException> _failed;
    private long _started;
    private Task _running = Task.CompletedTask;
    private ulong? _saved;
    private bool _isFirst;

    /// <summary>Creates a saver that saves at most once in each interval. If there is no file yet, it saves the first offered view at
    /// once.</summary>
    /// <param name="path">The snapshot's file.</param>
    /// <param name="interval">The shortest time between two saves; zero means never to save.</param>
    /// <param name="saved">The epoch in the file; null if there is no file.</param>
    /// <param name="clock">The clock that measures the interval.</param>
    /// <param name="logger">The log for saved snapshots.</param>
    /// <param name="failed">The action to call with each failure, on any thread; null if no action is to be called.</param>
    public SnapshotSaver(string path, TimeSpan interval, ulong? saved, TimeProvider clock, ILogger logger,
        Action<OptiksNativeException>? failed = null)
    {
        ArgumentNullException.ThrowIfNull(clock);
        _path = path;
        _interval = interval;
        _saved = saved;
        _isFirst = saved is null;
        _clock = clock;
        _logger = logger;
        _failed = failed ?? (_ => { });
        _started = clock.GetTimestamp();
    }

    /// <summary>Begins to save the view if a snapshot is due, and returns without waiting. The saver takes its own reference to the
    /// view.</summary>
    public void Offer(DirectoryView view)
    {
        if (_running.IsCompleted && (_isFirst || _clock.GetElapsedTime(_started) >= _interval))
        {
            _isFirst = false;
            Begin(view);
        }
    }

    /// <summary>
    /// Saves the view of the last epoch, unless the file already has this epoch. If the process ends before the save is complete, the
    /// earlier file stays.
    /// </summary>
    public async Task FinishAsync(DirectoryView? last, CancellationToken cancellationToken)
    {
        await _running.WaitAsync(cancellationToken);
        if (last is not null)
        {
            Begin(last);
            await _running.WaitAsync(cancellationToken);
        }
    }

    private void Begin(DirectoryView view)
    {
        if (_interval == TimeSpan.Zero || _saved == view.Epoch || !view.TryAcquire())
        {
            return;
        }
        _started = _clock.GetTimestamp();
        _running = BackgroundThread.RunAsync(() => Save(view));
    }

    private void Save(DirectoryView view)
    {
        try
        {
            long start = Stopwatch.GetTimestamp();
            view.Save(_path);
            _saved = view.Epoch;
            double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
            _logger.SnapshotSaved(view.Epoch, seconds);
        }
        catch (OptiksNativeException e)
        {
            _logger.SnapshotNotSaved(e);
            _failed(e);
        }
        finally
        {
            view.Release();
        }
    }
}
