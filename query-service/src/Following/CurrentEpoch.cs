using Optiks.Native;
using Optiks.ServiceDefaults;
using Optiks.Storage.Replay;
using Optiks.Tlog;

namespace Optiks.QueryService.Following;

/// <summary>CurrentEpoch is the epoch that answers are made from. Readers neither lock nor wait; the follower alone replaces it. Any thread.</summary>
internal sealed class CurrentEpoch
{
    private static readonly TimeSpan s_retryAfter = TimeSpan.FromSeconds(1);

    private readonly FollowerState _state;
    private readonly ITileReader _board;
    private readonly TimeProvider _clock;
    private ServedEpoch? _current;

    public CurrentEpoch(FollowerState state, ITileReader board, TimeProvider clock)
    {
        _state = state;
        _board = board;
        _clock = clock;
    }

    /// <summary>Peek at the current epoch without a reference: its plain data may be used, its view not. Null before the first.</summary>
    public ServedEpoch? Peek() => Volatile.Read(ref _current);

    /// <summary>PeekOrThrow is Peek that throws <see cref="ProblemException"/> (unavailable) before the first.</summary>
    public ServedEpoch PeekOrThrow() => Peek() ?? throw Unavailable("There is no verified epoch here yet.");

    /// <summary>
    /// AcquireFresh takes a reference to the current epoch, which the caller releases. Throws <see cref="ProblemException"/> (unavailable) when there is none, or its record is older than the
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

    /// <summary>Age of an epoch's record by this machine's clock; negative when its clock is behind.</summary>
    public TimeSpan Age(ServedEpoch epoch) => epoch.AgeAt(_clock.GetUtcNow());

    /// <summary>Serve puts the next epoch in the place of the present one, which goes with its last reader.</summary>
    /// <param name="view">Its trees.</param>
    /// <param name="epoch">The epoch.</param>
    /// <param name="isBehind">Whether later ones are published: values that they superseded and erased may be missing here.</param>
    public void Serve(DirectoryView view, VerifiedEpoch epoch, bool isBehind) => Replace(new ServedEpoch(view, epoch, _board) { IsBehind = isBehind });

    /// <summary>End takes the present epoch away: the service ends.</summary>
    public void End() => Replace(null);

    /// <summary>Unavailable makes the problem of a replica that cannot answer yet.</summary>
    public static ProblemException Unavailable(string detail) => new(new Problem(ProblemTypes.Unavailable, detail, null, s_retryAfter));

    private void Replace(ServedEpoch? next) => Interlocked.Exchange(ref _current, next)?.Retire();

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
