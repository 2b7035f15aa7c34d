namespace Optiks.Storage;

/// <summary>The request item that became a leaf: an import of epochs finds by it what an older database still holds as pending.</summary>
/// <param name="RequestId">The request.</param>
/// <param name="Item">The item in it.</param>
public readonly record struct LeafOrigin(Guid RequestId, int Item)
{
    /// <summary>The origin of dummies, which no request asked for and which have no outcome.</summary>
    public static LeafOrigin Padding { get; } = new(Guid.Empty, 0);
}
