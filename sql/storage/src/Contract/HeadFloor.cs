namespace Optiks.Storage;

/// <summary>
/// A lower bound for the log's size that is known from outside the database: the least number of epochs, and the hash of one epoch's
/// record. A database below this floor is an older copy (a restored backup, or a failover that lost commits). Updates that this older copy
/// accepted would be lost when the newest copy is restored.
/// </summary>
/// <param name="Epochs">The number of committed epochs, including the genesis epoch.</param>
/// <param name="Epoch">An epoch whose record is known; null when no record is known.</param>
/// <param name="RecordHash">Hash of that record, 32 bytes.</param>
public sealed record HeadFloor(ulong Epochs, ulong? Epoch, ReadOnlyMemory<byte> RecordHash)
{
    /// <summary>A floor without requirements, which every database reaches.</summary>
    public static HeadFloor None { get; } = new(0, null, default);

    /// <summary>Returns whether a database with the given head row reaches the floor.</summary>
    public bool IsMetBy(HeadRow head)
    {
        ArgumentNullException.ThrowIfNull(head);
        ulong epochs = head.Epoch is { } last ? last + 1 : 0;
        return epochs >= Epochs && (Epoch is null || head.Epoch != Epoch || head.RecordHash.Span.SequenceEqual(RecordHash.Span));
    }
}
