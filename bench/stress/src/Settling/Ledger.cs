using System.Collections.Concurrent;

namespace Optiks.Stress.Settling;

/// <summary>Ledger of updates: those that were accepted, and those of which it is not known. Any thread.</summary>
internal sealed class Ledger
{
    private long _count;

    /// <summary>Items that were accepted with a 202.</summary>
    public ConcurrentQueue<UpdateItem> Items { get; } = new();

    public ConcurrentQueue<Unanswered> Unknown { get; } = new();

    public long Count => Interlocked.Read(ref _count);

    public void Accepted(IReadOnlyCollection<UpdateItem> items)
    {
        foreach (UpdateItem item in items)
        {
            Items.Enqueue(item);
        }
        Interlocked.Add(ref _count, items.Count);
    }

    public void Uncertain(IReadOnlyList<UpdateItem> items, byte[] body, Uri server) => Unknown.Enqueue(new Unanswered(items, body, server));

    /// <summary>Unanswered is a request without an answer that says what became of it.</summary>
    internal sealed record Unanswered(IReadOnlyList<UpdateItem> Items, byte[] Body, Uri Server);
}
