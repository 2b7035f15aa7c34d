namespace Optiks.Storage;

/// <summary>
/// The request item that became a leaf. An import of epochs into an older database uses this origin to find the update, which that database
/// still holds as pending.
/// </summary>
/// <param name="RequestId">The id of the request.</param>
/// <param name="Item">The item's number in the request.</param>
public readonly record struct LeafOrigin(Guid RequestId, int Item)
{
    /// <summary>The origin of dummy leaves, which belong to no request and have no outcome.</summary>
    public static LeafOrigin Padding { get; } = new(Guid.Empty, 0);
}
