namespace Optiks.Storage;

/// <summary>The outcome of one pending item, written with its epoch.</summary>
/// <param name="RequestId">The id of the request.</param>
/// <param name="Sequence">The request's order of acceptance.</param>
/// <param name="Item">The item's number in the request.</param>
/// <param name="Ordinal">The leaf's number within the epoch; null when the item has no leaf.</param>
/// <param name="Refusal">
/// Why the item has no leaf. All items of a refused request have the same refusal. In requests that were not refused, the refusal is
/// <see cref="RefusalReason.Unchanged"/>, for the item of a device list that does not change.
/// </param>
public sealed record Outcome(Guid RequestId, long Sequence, int Item, int? Ordinal, Refusal? Refusal)
{
    /// <summary>Whether the item's request was refused.</summary>
    public bool IsRefused => Refusal is not null && Refusal.Reason != RefusalReason.Unchanged;

    /// <summary>
    /// Hash of the request's content, 32 bytes. A bundle carries it so that a restored request can still be recognized by its content.
    /// </summary>
    public ReadOnlyMemory<byte> BodyHash { get; init; }

    /// <summary>Compares all fields; body hashes are compared by their bytes.</summary>
    public bool Equals(Outcome? other) =>
        other is not null && RequestId == other.RequestId && Sequence == other.Sequence && Item == other.Item && Ordinal == other.Ordinal && Refusal == other.Refusal
        && BodyHash.Span.SequenceEqual(other.BodyHash.Span);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(RequestId, Item);
}
