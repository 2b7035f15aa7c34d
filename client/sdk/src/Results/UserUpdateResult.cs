namespace Optiks.Client;

/// <summary>Reports the outcome of a request about a user.</summary>
public sealed record UserUpdateResult
{
    /// <summary>The username by which the client looks up the user.</summary>
    public required ReadOnlyMemory<byte> Username { get; init; }

    /// <summary>The id of the changed user; null when nothing was sent because the username led to no user.</summary>
    public required ReadOnlyMemory<byte>? User { get; init; }

    /// <summary>The requested changes.</summary>
    public required IReadOnlyList<UserChange> Changes { get; init; }

    /// <summary>The id under which the server knows the request.</summary>
    public required Guid RequestId { get; init; }

    /// <summary>
    /// The status of the request so far. The status is also <c>Refused</c> if the client sent no request. <see cref="Lookups"/> or
    /// <see cref="Look"/> then says why: the username leads to no user, the client refused the answer about it, or monitoring the user
    /// failed.
    /// </summary>
    public required UpdateStatus Status { get; init; }

    /// <summary>The epoch of publication, according to the server; null until the request is published.</summary>
    public ulong? Epoch { get; init; }

    /// <summary>The items with their new versions, according to the server; empty until the request is published.</summary>
    public IReadOnlyList<PublishedKey> Items { get; init; } = [];

    /// <summary>The reason of the refusal, such as <c>device-taken</c>; null unless the request was refused.</summary>
    public string? RefusedBecause { get; init; }

    /// <summary>The current version of the refused item's key, according to the server; null unless the server names it.</summary>
    public KeyVersionNumber? Current { get; init; }

    /// <summary>
    /// After publication, the lookups of the user by every username in the request. They verified that the log shows the requested changes.
    /// The lookup by <see cref="Username"/> comes first. The list is empty before publication, unless the client sent nothing because of a
    /// lookup.
    /// </summary>
    public IReadOnlyList<UserLookupResult> Lookups { get; init; } = [];

    /// <summary>
    /// The history that the client refused; null if it refused no history. The client asks for a history if a later version hides a
    /// published version of the device or user.
    /// </summary>
    public VerifiedAnswer? History { get; init; }

    /// <summary>
    /// The result of monitoring the user before it leaves; null for other changes. If this result was refused or has alarms, the client
    /// sent nothing.
    /// </summary>
    public UserMonitorResult? Look { get; init; }

    /// <summary>Whether the lookups and the history confirm the server's statement.</summary>
    public UpdateConfirmation Confirmation { get; init; }

    /// <summary>Whether the log provably shows all requested changes.</summary>
    public bool Confirmed => Confirmation == UpdateConfirmation.Confirmed;

    /// <summary>A sentence for people that says what contradicts or prevents a confirmation; null if there is no such problem.</summary>
    public string? Detail { get; init; }
}
