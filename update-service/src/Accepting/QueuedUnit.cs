using System.Diagnostics;
using Optiks.Storage;

namespace Optiks.UpdateService.Accepting;

/// <summary>QueuedUnit is a caller's unit that waits for its commit.</summary>
internal sealed class QueuedUnit
{
    // What an update costs in memory beside its key and value, about.
    private const long UpdateOverhead = 512;

    // Of an item's key and value for one token of its caller's rate. A commit, an epoch and its bundle carry every byte of a value: by their number
    // alone, updates of the longest values would cost sixteen times what the rate allows (docs/operations/rate-limits.md).
    private const int OctetsPerToken = 4096;

    private readonly TaskCompletionSource<CommitOutcome> _outcome = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly long _since = Stopwatch.GetTimestamp();

    /// <summary>QueuedUnit of a sender, as the number that <see cref="Optiks.ServiceDefaults.Caller"/> gives.</summary>
    public QueuedUnit(AcceptUnit unit, int sender)
    {
        Unit = unit;
        Sender = sender;
        foreach (AcceptRequest request in unit.Requests)
        {
            Updates += request.Items.Count;
            foreach (AcceptItem item in request.Items)
            {
                int octets = item.Key.Length + item.Value.Length;
                Octets += octets + UpdateOverhead;
                Tokens += 1 + (octets / OctetsPerToken);
            }
        }
    }

    public AcceptUnit Unit { get; }

    /// <summary>Sender whose share of the queue it takes.</summary>
    public int Sender { get; }

    /// <summary>Caller is the request's span, for links; the default when nobody traces.</summary>
    public ActivityContext Caller { get; } = Activity.Current?.Context ?? default;

    /// <summary>Updates in all requests of the unit.</summary>
    public int Updates { get; }

    /// <summary>Tokens of the caller's rate that the unit costs: one for each update, and one more for each whole 4 KiB of its key and value.</summary>
    public int Tokens { get; }

    /// <summary>Octets of memory that it holds, about.</summary>
    public long Octets { get; }

    /// <summary>Age since it was made.</summary>
    public TimeSpan Age => Stopwatch.GetElapsedTime(_since);

    /// <summary>Outcome, once the unit's commit is over. Never faults.</summary>
    public Task<CommitOutcome> Outcome => _outcome.Task;

    /// <summary>Answer lets the caller go on; call it once.</summary>
    public void Answer(CommitOutcome outcome) => _outcome.SetResult(outcome);
}
