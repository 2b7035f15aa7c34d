namespace Optiks.Storage;

/// <summary>The outcome of one pending item, which the transaction of an epoch writes.</summary>
/// <param name="RequestId">The id of the request.</param>
/// <param name="Sequence">The request's order of acceptance.</param>
/// <param name="Item">The item's number in the request.</param>
/// <param name="Result">The result, which says what the epoch did with the item.</param>
public sealed record Outcome(Guid RequestId, long Sequence, int Item, ItemResult Result)
{
    /// <summary>
    /// Hash of the request's content, 32 bytes. Bundles contain this hash. So after a restore, the service still recognizes the request
    /// when a client sends it again.
    /// </summary>
    public ReadOnlyMemory<byte> BodyHash { get; init; }

    /// <summary>Compares all fields. Compares body hashes by their bytes.</summary>
    public bool Equals(Outcome? other) =>
        other is not null && RequestId == other.RequestId && Sequence == other.Sequence && Item == other.Item && Result == other.Result
        && BodyHash.Span.SequenceEqual(other.BodyHash.Span);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(RequestId, Item);
}
