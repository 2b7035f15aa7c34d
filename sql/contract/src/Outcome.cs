namespace Optiks.Storage;

/// <summary>Outcome of one pending item, written with its epoch.</summary>
/// <param name="RequestId">The request.</param>
/// <param name="Sequence">Its order of acceptance.</param>
/// <param name="Item">The item in it.</param>
/// <param name="Ordinal">Its leaf's number within the epoch; null when it has none.</param>
/// <param name="Refusal">
/// Why it has none: of a refused request the same for every item; of another <see cref="RefusalReason.Unchanged"/>, for the item of a device list that stays as it is.
/// </param>
public sealed record Outcome(Guid RequestId, long Sequence, int Item, int? Ordinal, Refusal? Refusal)
{
    /// <summary>IsRefused: its request was refused.</summary>
    public bool IsRefused => Refusal is not null && Refusal.Reason != RefusalReason.Unchanged;

    /// <summary>BodyHash of the request, 32 octets: a bundle carries it, so that a restored request is still known by its content.</summary>
    public ReadOnlyMemory<byte> BodyHash { get; init; }

    /// <summary>Compares the octets of the body hash.</summary>
    public bool Equals(Outcome? other) =>
        other is not null && RequestId == other.RequestId && Sequence == other.Sequence && Item == other.Item && Ordinal == other.Ordinal && Refusal == other.Refusal
        && BodyHash.Span.SequenceEqual(other.BodyHash.Span);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(RequestId, Item);
}
