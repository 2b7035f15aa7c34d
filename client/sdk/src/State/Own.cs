using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>
/// The owner's part of a chain: how far the owner compared every version with what it set, and which changes it made (docs/spec/state.md
/// section 3).
/// </summary>
public sealed record Own
{
    /// <summary>
    /// Whether the state keeps the chain only because it is the key of a device of an owned user, and the owner neither set nor monitored
    /// the key separately. The state then drops the owner's part once the device is no longer on the list.
    /// </summary>
    public bool IsListedOnly { get; init; }

    /// <summary>
    /// The version up to which the owner compared every version. Monitoring continues from its period: if that period has ended, the owner
    /// first verifies the rest of it, and then the next period. Null as long as the client has no head, or the user has no list.
    /// </summary>
    public Cursor? At { get; init; }

    /// <summary>
    /// The octets of the last list version that the owner verified, whose hash is that of <see cref="At"/>; null for a key and before the
    /// first list.
    /// </summary>
    public byte[]? List { get; init; }

    /// <summary>The expected changes, in the order in which the owner made them.</summary>
    public ImmutableArray<Expected> Expected { get; init; } = [];

    /// <summary>The alarms that the owner has not acknowledged.</summary>
    public ImmutableArray<Alarm> Alarms { get; init; } = [];

    /// <summary>
    /// The epochs without guarantee, which the owner did not verify before the log stopped serving their period. Those of a list are for
    /// the keys of its devices, too.
    /// </summary>
    public ImmutableArray<Missed> NoGuarantee { get; init; } = [];
}
