using System.Collections.Concurrent;

namespace Optiks.Stress.Settling;

/// <summary>Records the updates that were accepted, and those whose outcome is unknown. Thread-safe.</summary>
internal sealed class Ledger
{
    private long _count;

    /// <summary>The updates that were accepted with a 202.</summary>
    public ConcurrentQueue<AcceptedUpdate> Updates { get; } = new();

    public ConcurrentQueue<Unanswered> Unknown { get; } = new();

    public long Count => Interlocked.Read(ref _count);

    /// <summary>Records the accepted items of one request.</summary>
    /// <param name="items">The request's items.</param>
    /// <param name="at">Timestamp of the answer; null when the answer to its first sending was lost.</param>
    public void Accepted(IReadOnlyCollection<UpdateItem> items, long? at)
    {
        foreach (UpdateItem item in items)
        {
            Updates.Enqueue(new AcceptedUpdate(item, at));
        }
        Interlocked.Add(ref _count, items.Count);
    }

    public void Uncertain(IReadOnlyList<UpdateItem> items, byte[] body, Uri server) => Unknown.Enqueue(new Unanswered(items, body, server));

    /// <summary>An accepted update and the timestamp of its 202, if that is known.</summary>
    internal readonly record struct AcceptedUpdate(UpdateItem Item, long? At);

    /// <summary>A request without an answer that tells its outcome.</summary>
    internal sealed record Unanswered(IReadOnlyList<UpdateItem> Items, byte[] Body, Uri Server);
}
