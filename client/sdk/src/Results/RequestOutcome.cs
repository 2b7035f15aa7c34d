namespace Optiks.Client;

/// <summary>
/// A server's statement about the outcome of a request with one update, or with several updates that are applied together.
/// </summary>
public sealed record RequestOutcome
{
    /// <summary>The id of the request.</summary>
    public required Guid RequestId { get; init; }

    /// <summary>The status of the request so far.</summary>
    public required UpdateStatus Status { get; init; }

    /// <summary>
    /// The kind of the request, which the server states by its link to the proof. Null unless the request was published and the server
    /// gave the link.
    /// </summary>
    public UpdateKind? Kind { get; init; }

    /// <summary>The epoch that published the request; null unless the request was published.</summary>
    public ulong? Epoch { get; init; }

    /// <summary>The items in the order of the request, with their new versions; empty unless the request was published.</summary>
    public IReadOnlyList<PublishedKey> Items { get; init; } = [];

    /// <summary>The server's reason, such as <c>expected-version</c>; null unless the request was refused.</summary>
    public string? RefusedBecause { get; init; }

    /// <summary>The number of the refused item; null unless the server names it.</summary>
    public int? RefusedItem { get; init; }

    /// <summary>The current version of the refused item's key, according to the server; null unless the server names it.</summary>
    public KeyVersionNumber? Current { get; init; }
}
