using System.Collections.Concurrent;

namespace Optiks.Stress.Settling;

/// <summary>Records the updates that were accepted, and the updates whose outcome is unknown. Any thread may use it.</summary>
internal sealed class Ledger
{
    private long _count;

    /// <summary>The updates that were accepted with the status 202.</summary>
    public ConcurrentQueue<AcceptedUpdate> Updates { get; } = new();

    public ConcurrentQueue<Unanswered> Unknown { get; } = new();

    public long Count => Interlocked.Read(ref _count);

    /// <summary>Records the accepted items of one request.</summary>
    /// <param name="items">The updates of the request.</param>
    /// <param name="at">The timestamp of the answer; null if the answer was lost when the request was sent for the first time.</param>
    public void Accepted(IReadOnlyCollection<UpdateItem> items, long? at)
    {
        foreach (UpdateItem item in items)
        {
            Updates.Enqueue(new AcceptedUpdate(item, at));
        }
        Interlocked.Add(ref _count, items.Count);
    }

    public void Uncertain(IReadOnlyList<UpdateItem> items, byte[] body, Uri server) => Unknown.Enqueue(new Unanswered(items, body, server));

    /// <summary>Holds an accepted update, with the timestamp of the answer with status 202, or null if the timestamp is unknown.</summary>
    internal readonly record struct AcceptedUpdate(UpdateItem Item, long? At);

    /// <summary>Holds a request whose outcome is unknown, because no answer came, or no answer states the outcome.</summary>
    internal sealed record Unanswered(IReadOnlyList<UpdateItem> Items, byte[] Body, Uri Server);
}
