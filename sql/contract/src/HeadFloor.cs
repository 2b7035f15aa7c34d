namespace Optiks.Storage;

/// <summary>
/// What is known of the log from outside the database: how many epochs it has at least, and one epoch's record. A database that does not come up to it is an older copy
/// (a restored backup, a failover that lost commits), and what it accepted would be lost when the newest copy is put back.
/// </summary>
/// <param name="Epochs">Number of epochs that were committed, the genesis epoch included.</param>
/// <param name="Epoch">An epoch whose record is known; null: none.</param>
/// <param name="RecordHash">Hash of that record, 32 octets.</param>
public sealed record HeadFloor(ulong Epochs, ulong? Epoch, ReadOnlyMemory<byte> RecordHash)
{
    /// <summary>None: every database comes up to it.</summary>
    public static HeadFloor None { get; } = new(0, null, default);

    /// <summary>Says whether a database with this head row comes up to the floor.</summary>
    public bool IsMetBy(HeadRow head)
    {
        ArgumentNullException.ThrowIfNull(head);
        ulong epochs = head.Epoch is { } last ? last + 1 : 0;
        return epochs >= Epochs && (Epoch is null || head.Epoch != Epoch || head.RecordHash.Span.SequenceEqual(RecordHash.Span));
    }
}
