using System.Collections.Concurrent;

namespace Optiks.Stress.Settling;

/// <summary>Ledger of updates: those that were accepted, and those of which it is not known. Any thread.</summary>
internal sealed class Ledger
{
    private long _count;

    /// <summary>Updates that were accepted with a 202.</summary>
    public ConcurrentQueue<AcceptedUpdate> Updates { get; } = new();

    public ConcurrentQueue<Unanswered> Unknown { get; } = new();

    public long Count => Interlocked.Read(ref _count);

    /// <summary>Accepted items of one request.</summary>
    /// <param name="items">Of the request.</param>
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

    /// <summary>AcceptedUpdate and the timestamp of its 202, if that is known.</summary>
    internal readonly record struct AcceptedUpdate(UpdateItem Item, long? At);

    /// <summary>Unanswered is a request without an answer that says what became of it.</summary>
    internal sealed record Unanswered(IReadOnlyList<UpdateItem> Items, byte[] Body, Uri Server);
}
