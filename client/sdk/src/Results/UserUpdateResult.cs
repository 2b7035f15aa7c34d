namespace Optiks.Client;

/// <summary>Reports the outcome of a request about a user.</summary>
public sealed record UserUpdateResult
{
    /// <summary>The username by which the user is looked up.</summary>
    public required ReadOnlyMemory<byte> Username { get; init; }

    /// <summary>The id of the changed user; null when nothing was sent because the username led to no user.</summary>
    public required ReadOnlyMemory<byte>? User { get; init; }

    /// <summary>The requested changes.</summary>
    public required IReadOnlyList<UserChange> Changes { get; init; }

    /// <summary>The id under which the server knows the request.</summary>
    public required Guid RequestId { get; init; }

    /// <summary>
    /// The status so far. If it is refused and no request was sent, the username is proven to lead to no user, or the answer about it is
    /// refused (<see cref="Lookups"/>).
    /// </summary>
    public required UpdateStatus Status { get; init; }

    /// <summary>The epoch of publication, according to the server; null until published.</summary>
    public ulong? Epoch { get; init; }

    /// <summary>The items with the versions that the server says they were given; empty until published.</summary>
    public IReadOnlyList<PublishedKey> Items { get; init; } = [];

    /// <summary>The reason, such as <c>device-taken</c>; null unless refused.</summary>
    public string? RefusedBecause { get; init; }

    /// <summary>The current version, at the server, of the item in the reason; null unless the server says it.</summary>
    public KeyVersionNumber? Current { get; init; }

    /// <summary>
    /// Lookups of the user by every username in the request. After publication they verified that the log shows the requested changes. The
    /// lookup of <see cref="Username"/> comes first. Empty until then.
    /// </summary>
    public IReadOnlyList<UserLookupResult> Lookups { get; init; } = [];

    /// <summary>The refused history of a device, or of the user, whose published version a later one hides; null otherwise.</summary>
    public VerifiedAnswer? History { get; init; }

    /// <summary>The look at the user before it leaves; null for other changes. If it is refused or has alarms, nothing was sent.</summary>
    public UserMonitorResult? Look { get; init; }

    /// <summary>The confirmation, by lookups and history, of what the server says.</summary>
    public UpdateConfirmation Confirmation { get; init; }

    /// <summary>Whether the log provably shows all requested changes.</summary>
    public bool Confirmed => Confirmation == UpdateConfirmation.Confirmed;

    /// <summary>Says for people what contradicts or prevents a confirmation; null otherwise.</summary>
    public string? Detail { get; init; }
}
