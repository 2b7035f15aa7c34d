namespace Optiks.Storage;

/// <summary>The columns in which tables, bundles and exports store an <see cref="ItemResult"/>.</summary>
/// <param name="Ordinal">The leaf's number within the epoch; null if the item has no leaf.</param>
/// <param name="Refusal">The reason why the item has no leaf; null if it has one. The reason with the number 0 is no refusal. With the
/// version of a device list, it stands for <see cref="ItemResult.Unchanged"/>. With version 0 of period 0, which no device list has, it
/// stands for <see cref="ItemResult.Erased"/>.</param>
public readonly record struct ResultColumns(int? Ordinal, Refusal? Refusal)
{
    private const RefusalReason WithoutLeaf = 0;

    /// <summary>Converts a result into its columns.</summary>
    public static ResultColumns FromResult(ItemResult result) => result switch
    {
        ItemResult.Leaf leaf => new ResultColumns(leaf.Ordinal, null),
        ItemResult.Unchanged unchanged => new ResultColumns(null, new Refusal(WithoutLeaf, UserChange.ItemIndex, unchanged.Current)),
        ItemResult.Erased => new ResultColumns(null, new Refusal(WithoutLeaf, ErasureOrder.ItemIndex, default)),
        ItemResult.Refused refused => new ResultColumns(null, refused.Refusal),
        _ => throw new ArgumentOutOfRangeException(nameof(result)),
    };

    /// <summary>
    /// Converts the columns into the result; returns null if the columns contradict each other, because they show both a leaf and a reason,
    /// or neither.
    /// </summary>
    public ItemResult? ToResult() => this switch
    {
        { Ordinal: int ordinal, Refusal: null } => new ItemResult.Leaf(ordinal),
        { Ordinal: null, Refusal: { Reason: WithoutLeaf, Current: { Period: 0, Version: 0 } } } => new ItemResult.Erased(),
        { Ordinal: null, Refusal: { Reason: WithoutLeaf } unchanged } => new ItemResult.Unchanged(unchanged.Current),
        { Ordinal: null, Refusal: { } refusal } => new ItemResult.Refused(refusal),
        _ => null,
    };
}
