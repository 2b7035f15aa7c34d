using Microsoft.Extensions.Options;
using Optiks.Native;
using Optiks.QueryService.Answers;
using Optiks.QueryService.Options;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.Tlog;

namespace Optiks.QueryService.Following;

/// <summary>Holds the epoch from which the service makes its answers. Readers neither lock nor wait; only the follower replaces the epoch.
/// Thread-safe.</summary>
internal sealed class CurrentEpoch
{
    private const string PeriodField = $"?{AskedState.PeriodParameter}";
    private const string AtEpochField = $"?{AskedState.AtEpochParameter}";

    private static readonly TimeSpan s_retryAfter = TimeSpan.FromSeconds(1);

    private readonly FollowerState _state;
    private readonly ITileReader _board;
    private readonly TimeProvider _clock;
    private readonly int _maxRecent;

    // The follower's list of epochs that were served before, oldest first.
    private readonly List<RecentEpoch> _recent = [];
    private ServedEpoch? _current;
    private TaskCompletionSource _later = NewLater();

    public CurrentEpoch(FollowerState state, ITileReader board, TimeProvider clock, IOptions<QueryServiceOptions> options)
    {
        _maxRecent = options.Value.RecentEpochs;
        _state = state;
        _board = board;
        _clock = clock;
    }

    /// <summary>A task that completes when the follower replaces the current epoch.</summary>
    public Task Later => Volatile.Read(ref _later).Task;

    /// <summary>
    /// Returns the current epoch without taking a reference, so that the caller may use its plain data but not its view. Returns null
    /// before the first epoch.
    /// </summary>
    public ServedEpoch? Peek() => Volatile.Read(ref _current);

    /// <summary>
    /// Returns the current epoch as <see cref="Peek"/> does. Throws <see cref="ProblemException"/> (unavailable) before the first epoch.
    /// </summary>
    public ServedEpoch PeekOrThrow() => Peek() ?? throw Unavailable("This replica has no verified epoch yet.");

    /// <summary>
    /// Takes a reference to the current epoch, which the caller must release. Throws <see cref="ProblemException"/> (unavailable) if there
    /// is no epoch. Also throws it if the epoch's record is older than the configuration's max_behind, or further in the future than its
    /// max_ahead, because a verifier would refuse such an epoch.
    /// </summary>
    public ServedEpoch AcquireFresh()
    {
        ServedEpoch epoch = Acquire();
        TimeSpan age = Age(epoch);
        if (age <= _state.MaxBehind && -age <= _state.MaxAhead)
        {
            return epoch;
        }
        epoch.Release();
        throw Unavailable(age > TimeSpan.Zero
            ? "This replica's newest epoch is too old to be accepted."
            : "This replica's newest epoch is from the future, and would not be accepted.");
    }

    /// <summary>
    /// Takes a reference to the state that a request asks about. In addition to the problems of the other overload, throws
    /// <see cref="ProblemException"/> with these types: not-caught-up if the client has seen a later epoch; not-found for an epoch that is
    /// not recent, or for a period that has not ended; period-gone for a period that is no longer served; unavailable while this replica
    /// makes the period's trees.
    /// </summary>
    /// <param name="position">The part of the log that the client has seen.</param>
    /// <param name="asked">The state that the request asks about.</param>
    public ServedEpoch AcquireFresh(ClientPosition position, AskedState asked)
    {
        while (asked != default)
        {
            ServedEpoch epoch = AcquireFresh();
            ServedEpoch found;
            try
            {
                position.ThrowIfAhead(epoch.Epoch);
                found = asked.EndedPeriod is ulong period
                    ? epoch.FindEnded(period) ?? throw NotServed(epoch, period)
                    : FindRecent(epoch, asked.AtEpoch!.Value);
            }
            finally
            {
                epoch.Release();
            }
            // TryAcquire fails only if the follower has replaced the trees, and with them the epoch, in the meantime.
            if (found.TryAcquire())
            {
                return found;
            }
        }
        return AcquireFresh();
    }

    /// <summary>
    /// Returns the age of an epoch's record by this machine's clock. It is negative if this clock is behind the record's time.
    /// </summary>
    public TimeSpan Age(ServedEpoch epoch) => epoch.AgeAt(_clock.GetUtcNow());

    /// <summary>
    /// Replaces the current epoch by the next one. The trees of the replaced epoch are freed once it is no longer a recent epoch and its
    /// last reader has ended.
    /// </summary>
    /// <param name="view">The epoch's trees.</param>
    /// <param name="epoch">The next epoch.</param>
    /// <param name="ended">The ended periods that are served together with the epoch.</param>
    /// <param name="isBehind">
    /// Whether epochs after the next epoch are already published. If so, the next epoch may lack values that those later epochs superseded
    /// and erased.
    /// </param>
    public async Task ServeAsync(DirectoryView view, VerifiedEpoch epoch, IEnumerable<EndedPeriod> ended, bool isBehind)
    {
        ServedEpoch? before = Peek();
        if (before is not null)
        {
            _recent.Add(new RecentEpoch(before.Epoch, before.View, before.Record, before.TimeMs));
        }
        // A switch drops all recent epochs, because their trees belong to another period. If the same epoch is served again, together with
        // more ended periods, it must not also become a recent epoch.
        RecentEpoch[] kept = before?.Period == epoch.Record.Period
            ? [.. _recent.Where(recent => recent.Epoch != epoch.Epoch).TakeLast(_maxRecent)]
            : [];
        RecentEpoch[] gone = [.. _recent.Except(kept)];
        _recent.Clear();
        _recent.AddRange(kept);
        var current = new ServedEpoch(view, epoch, _board, ended, kept, isBehind);
        if (before is not null && before.Period != current.Period)
        {
            // The bounds are prepared because all clients that have seen the previous period will request them first.
            await current.Bounds.PrepareAsync();
        }
        Volatile.Write(ref _current, current);
        Interlocked.Exchange(ref _later, NewLater()).SetResult();
        Array.ForEach(gone, recent => recent.View.Dispose());
    }

    /// <summary>Releases the current epoch when the service ends.</summary>
    public void End()
    {
        Interlocked.Exchange(ref _current, null)?.Retire();
        _recent.ForEach(recent => recent.View.Dispose());
        _recent.Clear();
    }

    /// <summary>Creates the problem for the case that this replica cannot answer yet.</summary>
    public static ProblemException Unavailable(string detail) => new(new Problem(ProblemTypes.Unavailable, detail, null, s_retryAfter));

    // Waiting requests continue on other threads, so that they do not delay the follower's thread.
    private static TaskCompletionSource NewLater() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private ProblemException NotServed(ServedEpoch epoch, ulong period) =>
        period >= epoch.Period
            ? new ProblemException(
                new Problem(ProblemTypes.NotFound, $"Period {period} has not ended: this replica's newest period is {epoch.Period}.",
                    PeriodField))
        : epoch.Period - period >= _state.RetainedPeriods
            ? new ProblemException(
                new Problem(ProblemTypes.PeriodGone, $"Period {period} is no longer served: the newest period is {epoch.Period}.",
                    PeriodField))
        : Unavailable($"This replica is loading the end of period {period}.");

    // Returns the current or a recent epoch. If the epoch is too old, throws not-found, because a verifier would refuse it.
    private ServedEpoch FindRecent(ServedEpoch current, ulong epoch) =>
        epoch > current.Epoch ? throw ClientPosition.NotCaughtUp($"This replica's newest epoch is {current.Epoch}.", AtEpochField)
        : current.FindRecent(epoch) is { } found && Age(found) <= _state.MaxBehind ? found
        : throw new ProblemException(
            new Problem(ProblemTypes.NotFound, $"Epoch {epoch} is not among the last {_maxRecent} that this replica served in this period.",
                AtEpochField));

    private ServedEpoch Acquire()
    {
        while (true)
        {
            ServedEpoch epoch = PeekOrThrow();
            // TryAcquire fails only if another epoch has replaced this one in the meantime.
            if (epoch.TryAcquire())
            {
                return epoch;
            }
        }
    }
}
