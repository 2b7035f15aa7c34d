using System.Diagnostics;
using Optiks.Storage;

namespace Optiks.UpdateService.Accepting;

/// <summary>Holds a caller's unit that waits for its commit.</summary>
internal sealed class QueuedUnit
{
    // The approximate memory of an update without its key and value.
    private const long UpdateOverhead = 512;

    // This many bytes of a key and value cost one more token of the caller's rate. A commit, an epoch and its bundle carry every byte of a
    // value. If the rate limited only the number of updates, updates of 64 KiB could cost many times what the operator meant to allow.
    private const int OctetsPerToken = 4096;

    private readonly TaskCompletionSource<CommitOutcome> _outcome = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly long _since = Stopwatch.GetTimestamp();

    /// <summary>Takes a unit and its sender, which is the number that <see cref="Optiks.ServiceDefaults.Caller"/> returns.</summary>
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

    /// <summary>The sender whose share of the queue the unit takes.</summary>
    public int Sender { get; }

    /// <summary>The request's span, for links; the default if there is no trace.</summary>
    public ActivityContext Caller { get; } = Activity.Current?.Context ?? default;

    /// <summary>The number of updates in all requests of the unit.</summary>
    public int Updates { get; }

    /// <summary>The tokens of the caller's rate that the unit costs: one for each update, and one more for each whole 4 KiB of its key and value.</summary>
    public int Tokens { get; }

    /// <summary>The approximate number of bytes of memory that the unit holds.</summary>
    public long Octets { get; }

    /// <summary>The time since this object was made.</summary>
    public TimeSpan Age => Stopwatch.GetElapsedTime(_since);

    /// <summary>The outcome, available once the unit's commit is over. The task never faults.</summary>
    public Task<CommitOutcome> Outcome => _outcome.Task;

    /// <summary>Sets the outcome, so that the caller continues. This method must be called only once.</summary>
    public void Answer(CommitOutcome outcome) => _outcome.SetResult(outcome);
}
