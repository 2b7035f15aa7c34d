using System.Diagnostics;
using Optiks.Storage;

namespace Optiks.UpdateService.Accepting;

/// <summary>Holds a caller's unit that waits for its commit.</summary>
internal sealed class QueuedUnit
{
    // The approximate memory of an update in bytes, without its key and value.
    private const long UpdateOverhead = 512;

    // The number of bytes of a key and value that cost one additional token of the caller's rate. Commits, epochs and bundles contain every
    // byte of a value. If the rate limited only the number of updates, a caller with updates of 64 KiB could use many times the resources
    // that the operator meant to allow.
    private const int OctetsPerToken = 4096;

    private readonly TaskCompletionSource<CommitOutcome> _outcome = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly long _since = Stopwatch.GetTimestamp();

    /// <summary>Creates the queue's entry for a unit. The sender is identified by the number that
    /// <see cref="Optiks.ServiceDefaults.Caller"/> returns.</summary>
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

    /// <summary>The number of the sender, from whose share of the queue the unit takes its place.</summary>
    public int Sender { get; }

    /// <summary>The span of the HTTP request, to which the span of the commit links; the default value if there is no trace.</summary>
    public ActivityContext Caller { get; } = Activity.Current?.Context ?? default;

    /// <summary>The number of updates in all requests of the unit.</summary>
    public int Updates { get; }

    /// <summary>The number of tokens of the caller's rate that the unit costs: one token for each update, and another one for each whole 4
    /// KiB of the update's key and value.</summary>
    public int Tokens { get; }

    /// <summary>The approximate number of bytes of memory that the unit holds.</summary>
    public long Octets { get; }

    /// <summary>The time since this object was created.</summary>
    public TimeSpan Age => Stopwatch.GetElapsedTime(_since);

    /// <summary>A task that completes with the outcome once the unit's commit is over. The task never fails.</summary>
    public Task<CommitOutcome> Outcome => _outcome.Task;

    /// <summary>Sets the outcome, so that the request continues. It must be called exactly once.</summary>
    public void Answer(CommitOutcome outcome) => _outcome.SetResult(outcome);
}
