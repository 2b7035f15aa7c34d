namespace Optiks.Client;

/// <summary>UserUpdateResult says what became of a request about a user.</summary>
public sealed record UserUpdateResult
{
    /// <summary>Username by which the user is looked up.</summary>
    public required ReadOnlyMemory<byte> Username { get; init; }

    /// <summary>User that is changed, its id; null when nothing was sent, as the username led to none.</summary>
    public required ReadOnlyMemory<byte>? User { get; init; }

    /// <summary>Changes that were asked for.</summary>
    public required IReadOnlyList<UserChange> Changes { get; init; }

    /// <summary>RequestId under which the server knows the request.</summary>
    public required Guid RequestId { get; init; }

    /// <summary>Status so far. Refused without a request: the username is proven to lead to no user, or the answer about it is refused (<see cref="Lookups"/>).</summary>
    public required UpdateStatus Status { get; init; }

    /// <summary>Epoch of publication, by the server's word; null until published.</summary>
    public ulong? Epoch { get; init; }

    /// <summary>Items with the versions that the server says they were given; empty until published.</summary>
    public IReadOnlyList<PublishedKey> Items { get; init; } = [];

    /// <summary>RefusedBecause is the reason, such as <c>device-taken</c>; null unless refused.</summary>
    public string? RefusedBecause { get; init; }

    /// <summary>Current version of the item that the reason is about, at the server; null unless the server says it.</summary>
    public KeyVersionNumber? Current { get; init; }

    /// <summary>Lookups of the user by every username that the request is about, verified after publication that the log shows what was asked for; the one of <see cref="Username"/> is the first. Empty until then.</summary>
    public IReadOnlyList<UserLookupResult> Lookups { get; init; } = [];

    /// <summary>History of a device, or of the user, whose published version a later one hides, if the server's answer was refused; null otherwise.</summary>
    public VerifiedAnswer? History { get; init; }

    /// <summary>Look at the user before it leaves; null for other changes. If it is refused or has alarms, nothing was sent.</summary>
    public UserMonitorResult? Look { get; init; }

    /// <summary>Confirmation of what the server says, by lookups and history.</summary>
    public UpdateConfirmation Confirmation { get; init; }

    /// <summary>Confirmed: the log provably shows all that was asked for.</summary>
    public bool Confirmed => Confirmation == UpdateConfirmation.Confirmed;

    /// <summary>Detail about what stands against a confirmation, for people; null otherwise.</summary>
    public string? Detail { get; init; }
}
