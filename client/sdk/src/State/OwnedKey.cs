using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>
/// Holds what the owner of a key stores about the key: up to which version the owner has verified every version, and which changes the
/// owner made.
/// </summary>
public sealed record OwnedKey
{
    /// <summary>
    /// The period to which <see cref="Version"/> belongs. If this period has ended, the owner first verifies the rest of it, and then
    /// continues with the next period.
    /// </summary>
    public ulong Period { get; init; }

    /// <summary>The version up to which the owner verified every version; 0 if it verified no version.</summary>
    public ulong Version { get; init; }

    /// <summary>The time (<c>T</c> in docs/spec/pahd.md) of <see cref="Version"/>.</summary>
    public ulong Time { get; init; }

    /// <summary>The last epoch at which an answer proved that no version after <see cref="Version"/> existed.</summary>
    public ulong? AbsentEpoch { get; init; }

    /// <summary>
    /// The epoch of the monitoring answer that showed all versions of the period. Later monitoring answers leave out the versions that this
    /// answer showed.
    /// </summary>
    public ulong? ProvenEpoch { get; init; }

    /// <summary>
    /// The SHA-256 of the version's value, in hexadecimal; null if there is no version or its value was erased. After a period without
    /// guarantee it is the hash of the last verified version's value.
    /// </summary>
    public string? ValueSha256 { get; init; }

    /// <summary>The expected changes, in the order in which the owner made them.</summary>
    public ImmutableArray<ExpectedChange> Expected { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>
    /// Whether the state keeps the key only because it belongs to a device of an owned user, and the owner neither set nor monitored the
    /// key separately. The state then drops the key once the device is no longer on the list.
    /// </summary>
    public bool IsListedOnly { get; init; }

    /// <summary>The epochs without guarantee. The owner did not verify them before the log stopped serving their period.</summary>
    public ImmutableArray<NoGuarantee> NoGuarantee { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>The alarms that the owner has not acknowledged.</summary>
    public ImmutableArray<OwnerAlarm> Alarms { get; init => field = value.IsDefault ? [] : value; } = [];
}
