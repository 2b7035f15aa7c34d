using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Reports the outcome of an update.</summary>
public sealed record UpdateResult
{
    /// <summary>The updated key.</summary>
    public required ReadOnlyMemory<byte> Key { get; init; }

    /// <summary>The id under which the server knows the update.</summary>
    public required Guid RequestId { get; init; }

    /// <summary>The SHA-256 of the value that was set, in hexadecimal.</summary>
    public required string ValueSha256 { get; init; }

    /// <summary>
    /// The status of the update so far. If the status is refused because the client could not get a verified head (<see cref="Lookup"/>),
    /// no request was sent.
    /// </summary>
    public required UpdateStatus Status { get; init; }

    /// <summary>
    /// The epoch of publication. Before the client has confirmed the update, this is the server's statement. Afterwards it is the verified
    /// epoch of the version. Null until the update is published.
    /// </summary>
    public ulong? Epoch { get; init; }

    /// <summary>The period and version of the update, according to the server; null until the update is published.</summary>
    public KeyVersionNumber? Version { get; init; }

    /// <summary>The server's reason, such as <c>expected-version</c>; null unless the update was refused.</summary>
    public string? RefusedBecause { get; init; }

    /// <summary>The key's current version, if the server refused the update because the expected version did not match.</summary>
    public KeyVersionNumber? Current { get; init; }

    /// <summary>
    /// After publication, this is the lookup by which the client verified that the log shows the new value. Before publication it is null
    /// or a refused lookup. A refused lookup before publication means that the client sent nothing, because it has evidence against the log
    /// or no verified head.
    /// </summary>
    public LookupResult? Lookup { get; init; }

    /// <summary>
    /// The verified history of only the version that the server named. The client reads it if the lookup shows a later version. Null if the
    /// client did not need the history, or if the server refused the request for the history.
    /// </summary>
    public HistoryResult? History { get; init; }

    /// <summary>Whether a lookup or the history confirms the server's statement.</summary>
    public UpdateConfirmation Confirmation { get; init; }

    /// <summary>Whether the log provably holds the value under the version that the server named.</summary>
    public bool Confirmed => Confirmation == UpdateConfirmation.Confirmed;

    /// <summary>The log's verified promise to publish the update; null when no receipt was requested, or no valid receipt came.</summary>
    public UpdateReceipt? Receipt { get; init; }

    /// <summary>The reason why the received receipt is invalid; null if no invalid receipt came.</summary>
    public Reason? ReceiptRefused { get; init; }

    /// <summary>A sentence for people that says what contradicts or prevents a confirmation; null if there is no such problem.</summary>
    public string? Detail { get; init; }
}
