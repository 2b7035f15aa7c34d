namespace Optiks.Storage;

/// <summary>Says what an epoch did with one item of a request.</summary>
public abstract record ItemResult
{
    private ItemResult()
    {
    }

    /// <summary>The epoch inserted a leaf for the item.</summary>
    /// <param name="Ordinal">The leaf's number within the epoch.</param>
    public sealed record Leaf(int Ordinal) : ItemResult;

    /// <summary>
    /// The request was accepted, but the item gets no leaf, because it stands for a user's device list that the request does not change
    /// (<see cref="UserChange"/>). Only the item with the index <see cref="UserChange.ItemIndex"/> can have this result.
    /// </summary>
    /// <param name="Current">The latest version of the device list, which is at least 1.</param>
    public sealed record Unchanged(ExpectedVersion Current) : ItemResult;

    /// <summary>
    /// The item is an erasure that was carried out (<see cref="ErasureOrder"/>), so it gets no leaf. It is the only item of its request.
    /// </summary>
    public sealed record Erased : ItemResult;

    /// <summary>The request was refused. All of its items have this result.</summary>
    /// <param name="Refusal">The reason.</param>
    public sealed record Refused(Refusal Refusal) : ItemResult;
}
