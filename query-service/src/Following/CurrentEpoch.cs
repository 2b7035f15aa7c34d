using Microsoft.Extensions.Options;
using Optiks.Native;
using Optiks.QueryService.Answers;
using Optiks.QueryService.Options;
using Optiks.ServiceDefaults;
using Optiks.Storage.Replay;
using Optiks.Tlog;

namespace Optiks.QueryService.Following;

/// <summary>The epoch that answers are made from. Readers neither lock nor wait; the follower alone replaces it. Any thread.</summary>
internal sealed class CurrentEpoch
{
    private const string PeriodField = $"?{AskedState.PeriodParameter}";
    private const string AtEpochField = $"?{AskedState.AtEpochParameter}";

    private static readonly TimeSpan s_retryAfter = TimeSpan.FromSeconds(1);

    private readonly FollowerState _state;
    private readonly ITileReader _board;
    private readonly TimeProvider _clock;
    private readonly int _maxRecent;

    // The follower's: those that were served before, oldest first.
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

    /// <summary>Completes when another epoch than the present one is served.</summary>
    public Task Later => Volatile.Read(ref _later).Task;

    /// <summary>Peek at the current epoch without a reference: its plain data may be used, its view not. Null before the first.</summary>
    public ServedEpoch? Peek() => Volatile.Read(ref _current);

    /// <summary>PeekOrThrow is Peek that throws <see cref="ProblemException"/> (unavailable) before the first.</summary>
    public ServedEpoch PeekOrThrow() => Peek() ?? throw Unavailable("There is no verified epoch here yet.");

    /// <summary>
    /// Takes a reference to the current epoch, which the caller releases. Throws <see cref="ProblemException"/> (unavailable) when there is none, or its record is older than the
    /// configuration's max_behind or further ahead than its max_ahead: a verifier would refuse it.
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
        throw Unavailable(age > TimeSpan.Zero ? "The newest epoch here is too old to be accepted." : "The newest epoch here is from the future, and would not be accepted.");
    }

    /// <summary>
    /// AcquireFresh for answers about a state that is asked for. Throws <see cref="ProblemException"/> as well: not-caught-up, not-found for an epoch that is not among the recent ones, or a period that has not ended, period-gone
    /// for one that is served no more, unavailable while it is being made here.
    /// </summary>
    /// <param name="position">How far the client has seen the log.</param>
    /// <param name="asked">The state.</param>
    public ServedEpoch AcquireFresh(ClientPosition position, AskedState asked)
    {
        while (asked != default)
        {
            ServedEpoch epoch = AcquireFresh();
            ServedEpoch found;
            try
            {
                position.ThrowIfAhead(epoch.Epoch);
                found = asked.EndedPeriod is ulong period ? epoch.FindEnded(period) ?? throw NotServed(epoch, period) : FindRecent(epoch, asked.AtEpoch!.Value);
            }
            finally
            {
                epoch.Release();
            }
            // Refused only when others have taken the place of its trees, and of the epoch, meanwhile.
            if (found.TryAcquire())
            {
                return found;
            }
        }
        return AcquireFresh();
    }

    /// <summary>Age of an epoch's record by this machine's clock; negative when its clock is behind.</summary>
    public TimeSpan Age(ServedEpoch epoch) => epoch.AgeAt(_clock.GetUtcNow());

    /// <summary>Puts the next epoch in the place of the present one, which goes with its last reader once it is no recent one any more.</summary>
    /// <param name="view">Its trees.</param>
    /// <param name="epoch">The epoch.</param>
    /// <param name="ended">Periods that have ended and are served with it.</param>
    /// <param name="isBehind">Whether later ones are published: values that they superseded and erased may be missing here.</param>
    public async Task ServeAsync(DirectoryView view, VerifiedEpoch epoch, IEnumerable<EndedPeriod> ended, bool isBehind)
    {
        ServedEpoch? before = Peek();
        if (before is not null)
        {
            _recent.Add(new RecentEpoch(before.Epoch, before.View, before.Record, before.TimeMs));
        }
        // Trees of another period are the switch's, and an epoch may be served again, with more.
        RecentEpoch[] kept = before?.Period == epoch.Record.Period ? [.. _recent.Where(recent => recent.Epoch != epoch.Epoch).TakeLast(_maxRecent)] : [];
        RecentEpoch[] gone = [.. _recent.Except(kept)];
        _recent.Clear();
        _recent.AddRange(kept);
        var current = new ServedEpoch(view, epoch, _board, ended, kept, isBehind);
        if (before is not null && before.Period != current.Period)
        {
            // All clients that have seen the period before ask for them at once, before anything else.
            await current.Bounds.PrepareAsync();
        }
        Volatile.Write(ref _current, current);
        Interlocked.Exchange(ref _later, NewLater()).SetResult();
        Array.ForEach(gone, recent => recent.View.Dispose());
    }

    /// <summary>Takes the present epoch away: the service ends.</summary>
    public void End()
    {
        Interlocked.Exchange(ref _current, null)?.Retire();
        _recent.ForEach(recent => recent.View.Dispose());
        _recent.Clear();
    }

    /// <summary>Makes the problem of a replica that cannot answer yet.</summary>
    public static ProblemException Unavailable(string detail) => new(new Problem(ProblemTypes.Unavailable, detail, null, s_retryAfter));

    // Who waited goes on beside the follower.
    private static TaskCompletionSource NewLater() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private ProblemException NotServed(ServedEpoch epoch, ulong period) =>
        period >= epoch.Period ? new ProblemException(new Problem(ProblemTypes.NotFound, $"Period {period} has not ended: the newest one here is {epoch.Period}.", PeriodField))
        : epoch.Period - period >= _state.RetainedPeriods ? new ProblemException(new Problem(ProblemTypes.PeriodGone, $"Period {period} is served no more: the newest one is {epoch.Period}.", PeriodField))
        : Unavailable($"The end of period {period} is being loaded here.");

    // A verifier would refuse one that is too old.
    private ServedEpoch FindRecent(ServedEpoch current, ulong epoch) =>
        epoch > current.Epoch ? throw ClientPosition.NotCaughtUp($"The newest epoch here is {current.Epoch}.", AtEpochField)
        : current.FindRecent(epoch) is { } found && Age(found) <= _state.MaxBehind ? found
        : throw new ProblemException(new Problem(ProblemTypes.NotFound, $"Epoch {epoch} is none of the last {_maxRecent} that this replica served in this period.", AtEpochField));

    private ServedEpoch Acquire()
    {
        while (true)
        {
            ServedEpoch epoch = PeekOrThrow();
            // Refused only when another epoch has taken its place meanwhile.
            if (epoch.TryAcquire())
            {
                return epoch;
            }
        }
    }
}
