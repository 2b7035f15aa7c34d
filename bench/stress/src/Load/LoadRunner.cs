using System.Diagnostics;
using Optiks.Stress.Traffic;

namespace Optiks.Stress.Load;

/// <summary>
/// Sends requests at their intended times, whatever happens to earlier requests. If the maximum number of requests is in flight, the next
/// request waits, and its latency still counts from its intended start. A request that has waited too long is counted but not sent.
/// </summary>
internal sealed class LoadRunner : IDisposable
{
    // The resolution of the timer. Requests whose starts are within one tick are sent together.
    private static readonly TimeSpan s_tick = TimeSpan.FromMilliseconds(1);
    private readonly RunOptions _options;
    private readonly int _maxInFlight;
    private readonly Planner _planner;
    private readonly Sender _send;
    private readonly Recorder _recorder;
    private readonly Random _random;
    private readonly Stopwatch _clock = new();
    private readonly SemaphoreSlim _room;
    private readonly TaskCompletionSource _drained = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _inFlight = 1;
    private Exception? _failure;

    public LoadRunner(RunOptions options, int maxInFlight, Planner planner, Sender send, Recorder recorder, Random random)
    {
        _options = options;
        _maxInFlight = maxInFlight;
        _planner = planner;
        _send = send;
        _recorder = recorder;
        _random = random;
        _room = new SemaphoreSlim(maxInFlight, maxInFlight);
    }

    /// <summary>Sends a request, and reads the clock when the whole answer has arrived.</summary>
    internal delegate Task<(RequestOutcome Outcome, double Ended)> Sender(
        Planned planned, Func<double> now, CancellationToken cancellationToken);

    /// <summary>The current time in seconds on the run's clock.</summary>
    public double Now => _clock.Elapsed.TotalSeconds;

    public double Rate { get; private set; }

    public void Dispose() => _room.Dispose();

    // One is subtracted, because the loop itself counts as a request until it ends.
    public int InFlight => Math.Max(0, Volatile.Read(ref _inFlight) - 1);

    /// <summary>
    /// Sends the whole load, and returns when every request has ended. If the caller cancels, the load ends early, and the method returns
    /// the stages so far.
    /// </summary>
    public async Task<IReadOnlyList<Stage>> RunAsync(CancellationToken cancellationToken)
    {
        var stages = new List<Stage>();
        _clock.Start();
        double rate = Rate = _options.Rate;
        if (_options.WarmUp > 0)
        {
            await OfferAsync(0, _options.WarmUp, cancellationToken);
        }
        double end = _options.WarmUp + _options.Duration;
        for (double start = _options.WarmUp; start < end && !cancellationToken.IsCancellationRequested;)
        {
            Rate = rate;
            double stop = _options.RampFactor is null ? end : Math.Min(end, start + _options.StageLength);
            await OfferAsync(start, stop, cancellationToken);
            Stage stage = Judge(start, Math.Min(stop, Now));
            stages.Add(stage);
            if (_options.RampFactor is not { } factor || stage.Saturated)
            {
                break;
            }
            rate *= factor;
            start = stop;
        }
        Leave();
        await _drained.Task;
        return _failure is null ? stages : throw new InvalidOperationException("A request ended in an unexpected way.", _failure);
    }

    private async Task OfferAsync(double start, double stop, CancellationToken cancellationToken)
    {
        var schedule = new ArrivalSchedule(_options.Arrivals, Rate, start, _random);
        for (double intended = schedule.Next(); intended < stop && !cancellationToken.IsCancellationRequested; intended = schedule.Next())
        {
            await UntilAsync(intended, cancellationToken);
            Planned planned = _planner.Next();
            _recorder.Offered(intended);
            double patience = intended + _options.Late - Now;
            if (patience < 0
                || !(_room.Wait(0, CancellationToken.None)
                    || await _room.WaitAsync(TimeSpan.FromSeconds(patience), CancellationToken.None)))
            {
                _recorder.NotSent(planned.Part, intended);
                continue;
            }
            Interlocked.Increment(ref _inFlight);
            // The request runs in a task, so that this loop only keeps the time. The task gets a copy of the loop's variable, because the
            // loop changes the variable before the task reads it.
            double due = intended;
            _ = Task.Run(() => SendAsync(planned, due), CancellationToken.None);
            _recorder.InFlight(intended, _maxInFlight - _room.CurrentCount);
        }
        // The loop waits until the end of the stage, because the time after the last request belongs to the stage too.
        await UntilAsync(stop, cancellationToken);
    }

    private async Task UntilAsync(double moment, CancellationToken cancellationToken)
    {
        while (Now < moment && !cancellationToken.IsCancellationRequested)
        {
            await Task.Delay(s_tick, CancellationToken.None);
        }
    }

    private async Task SendAsync(Planned planned, double intended)
    {
        try
        {
            (RequestOutcome outcome, double ended) = await _send(planned, () => Now, CancellationToken.None);
            _recorder.Done(planned.Part, intended, ended, outcome);
        }
        catch (Exception e)
        {
            // This exception ends the run, because a fault of this program must not look like a slow server.
            Interlocked.CompareExchange(ref _failure, e, null);
        }
        finally
        {
            _room.Release();
            Leave();
        }
    }

    private void Leave()
    {
        if (Interlocked.Decrement(ref _inFlight) == 0)
        {
            _drained.TrySetResult();
        }
    }

    private Stage Judge(double start, double stop) => _recorder.Read((_, seconds) =>
    {
        var latency = new Histogram();
        int first = (int)Math.Ceiling(start);
        int last = Math.Min((int)Math.Floor(stop), seconds.Count);
        long offered = 0;
        long bad = 0;
        long completed = 0;
        for (int i = first; i < last; i++)
        {
            latency.Add(seconds[i].Latency);
            // An unanswered request counts with the time that it has taken so far.
            latency.Record((long)((Now - (i + 1)) * 1e6), seconds[i].Unanswered);
            offered += seconds[i].Offered;
            bad += seconds[i].Failed + seconds[i].NotSent;
            completed += seconds[i].Completed;
        }
        double p99 = latency.Percentile(99) / 1e6;
        double badShare = offered == 0 ? 0 : (double)bad / offered;
        double answered = last > first ? (double)completed / (last - first) : 0;
        bool saturated = p99 > _options.LimitLatency || badShare > _options.LimitErrors;
        return new Stage(Rate, start, stop, answered, p99, badShare, saturated);
    });
}
