namespace Optiks.Storage;

/// <summary>
/// The request item that became a leaf. By this origin, an import of epochs finds the update that an older database still holds as pending.
/// </summary>
/// <param name="RequestId">The id of the request.</param>
/// <param name="Item">The item's number in the request.</param>
public readonly record struct LeafOrigin(Guid RequestId, int Item)
{
    /// <summary>The origin of dummy leaves, which no request asked for and which have no outcome.</summary>
    public static LeafOrigin Padding { get; } = new(Guid.Empty, 0);
}
