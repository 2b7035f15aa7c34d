using System.Collections.Concurrent;

namespace Optiks.Stress.Settling;

/// <summary>Records the updates that were accepted, and the updates whose outcome is unknown. Thread-safe.</summary>
internal sealed class Ledger
{
    private long _count;

    /// <summary>The updates that were accepted with a 202.</summary>
    public ConcurrentQueue<AcceptedUpdate> Updates { get; } = new();

    public ConcurrentQueue<Unanswered> Unknown { get; } = new();

    public long Count => Interlocked.Read(ref _count);

    /// <summary>Records the accepted items of one request.</summary>
    /// <param name="items">The request's items.</param>
    /// <param name="at">Timestamp of the answer; null when the answer to the first sending of the request was lost.</param>
    public void Accepted(IReadOnlyCollection<UpdateItem> items, long? at)
    {
        foreach (UpdateItem item in items)
        {
            Updates.Enqueue(new AcceptedUpdate(item, at));
        }
        Interlocked.Add(ref _count, items.Count);
    }

    public void Uncertain(IReadOnlyList<UpdateItem> items, byte[] body, Uri server) => Unknown.Enqueue(new Unanswered(items, body, server));

    /// <summary>An accepted update, with the timestamp of its 202 answer if the timestamp is known.</summary>
    internal readonly record struct AcceptedUpdate(UpdateItem Item, long? At);

    /// <summary>A request whose outcome is unknown, because no answer came that says it.</summary>
    internal sealed record Unanswered(IReadOnlyList<UpdateItem> Items, byte[] Body, Uri Server);
}
