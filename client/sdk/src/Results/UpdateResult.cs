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
    /// The status so far. If it is refused and no request was sent, the client could not get a verified head (<see cref="Lookup"/>).
    /// </summary>
    public required UpdateStatus Status { get; init; }

    /// <summary>
    /// The epoch of publication. Once confirmed it is the version's own; before that it is what the server says. Null until published.
    /// </summary>
    public ulong? Epoch { get; init; }

    /// <summary>The period and version that the server says the update was given; null until published.</summary>
    public KeyVersionNumber? Version { get; init; }

    /// <summary>The server's reason, such as <c>expected-version</c>; null unless refused.</summary>
    public string? RefusedBecause { get; init; }

    /// <summary>The current version at the server when an expected version did not match.</summary>
    public KeyVersionNumber? Current { get; init; }

    /// <summary>
    /// The lookup that verified, after publication, that the log shows the value that was set; null until then. If it was refused before
    /// that, there is evidence of a fork, and nothing was sent.
    /// </summary>
    public LookupResult? Lookup { get; init; }

    /// <summary>
    /// The history that was verified when the lookup showed a later version, with the named version alone. Null when it was not needed or
    /// the server refused it.
    /// </summary>
    public HistoryResult? History { get; init; }

    /// <summary>The confirmation, by lookup or history, of what the server says.</summary>
    public UpdateConfirmation Confirmation { get; init; }

    /// <summary>Whether the log provably holds the value under the version that the server named.</summary>
    public bool Confirmed => Confirmation == UpdateConfirmation.Confirmed;

    /// <summary>The log's verified promise to publish the update; null when none was requested, or no valid one came.</summary>
    public UpdateReceipt? Receipt { get; init; }

    /// <summary>Why the receipt that came is invalid; null otherwise.</summary>
    public Reason? ReceiptRefused { get; init; }

    /// <summary>Says for people what contradicts or prevents a confirmation; null otherwise.</summary>
    public string? Detail { get; init; }
}
