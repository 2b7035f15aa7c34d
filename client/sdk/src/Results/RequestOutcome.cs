namespace Optiks.Client;

/// <summary>RequestOutcome is what a server says that became of a request, of one update or of several that are applied together.</summary>
public sealed record RequestOutcome
{
    /// <summary>RequestId that was asked for.</summary>
    public required Guid RequestId { get; init; }

    /// <summary>Status so far.</summary>
    public required UpdateStatus Status { get; init; }

    /// <summary>Epoch that it was published in; null unless published.</summary>
    public ulong? Epoch { get; init; }

    /// <summary>Items in the order of the request, with the versions that they were given; empty unless published.</summary>
    public IReadOnlyList<PublishedKey> Items { get; init; } = [];

    /// <summary>RefusedBecause is the server's reason, such as <c>expected-version</c>; null unless refused.</summary>
    public string? RefusedBecause { get; init; }

    /// <summary>RefusedItem is the number of the item that was refused; null unless the server says it.</summary>
    public int? RefusedItem { get; init; }

    /// <summary>Current version of the refused item's key at the server; null unless the server says it.</summary>
    public KeyVersionNumber? Current { get; init; }
}
