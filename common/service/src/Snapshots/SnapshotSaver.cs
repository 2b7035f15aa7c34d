using System.Diagnostics;
using Microsoft.Extensions.Logging;
using Optiks.Native;

namespace Optiks.ServiceDefaults;

/// <summary>
/// SnapshotSaver writes a directory's trees to a file now and then, beside everything else, so that the next start need not load the whole log. A failure is logged and leaves the
/// file before. One thread at a time.
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

    /// <summary>SnapshotSaver that saves at most once an interval; the first one at once, when there is none yet.</summary>
    /// <param name="path">The file.</param>
    /// <param name="interval">Zero: never.</param>
    /// <param name="saved">Epoch that the file has; null when it is not there.</param>
    /// <param name="clock">Measures the interval.</param>
    /// <param name="logger">Says what was saved.</param>
    /// <param name="failed">Gets each failure, on any thread; null: nobody does.</param>
    public SnapshotSaver(string path, TimeSpan interval, ulong? saved, TimeProvider clock, ILogger logger, Action<OptiksNativeException>? failed = null)
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

    /// <summary>Offer begins to save if it is time to, and returns at once. The saver takes a reference of its own.</summary>
    public void Offer(DirectoryView view)
    {
        if (_running.IsCompleted && (_isFirst || _clock.GetElapsedTime(_started) >= _interval))
        {
            _isFirst = false;
            Begin(view);
        }
    }

    /// <summary>FinishAsync saves the last epoch, unless the file has it. A save that the caller cannot wait for is given up with the process: the file is replaced as a whole or not.</summary>
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
