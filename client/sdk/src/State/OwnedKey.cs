using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>The state that an owner keeps of its own key: how far every version was verified, and which changes it made itself.</summary>
public sealed record OwnedKey
{
    /// <summary>The period of the versions. If it has ended, the owner continues from here to the next one.</summary>
    public ulong Period { get; init; }

    /// <summary>The version up to which each one was verified; 0 if none was.</summary>
    public ulong Version { get; init; }

    /// <summary>The time T of the version.</summary>
    public ulong Time { get; init; }

    /// <summary>The last epoch at which all later versions were proven absent.</summary>
    public ulong? AbsentEpoch { get; init; }

    /// <summary>The epoch of the look in which all versions of the period were shown: later looks leave out what it showed.</summary>
    public ulong? ProvenEpoch { get; init; }

    /// <summary>
    /// The SHA-256 of the version's value, in hexadecimal; null without a version or when the value was erased. After a period without
    /// guarantee it is that of the last version that was verified.
    /// </summary>
    public string? ValueSha256 { get; init; }

    /// <summary>The expected changes, in the order in which they were made here.</summary>
    public ImmutableArray<ExpectedChange> Expected { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>
    /// Whether the key is kept only as a device of an owned user, and was never set or monitored separately. It is then dropped once it is
    /// no longer on the list.
    /// </summary>
    public bool IsListedOnly { get; init; }

    /// <summary>Epochs without guarantee: their period was gone before its end was verified.</summary>
    public ImmutableArray<NoGuarantee> NoGuarantee { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>Alarms that nobody has acknowledged.</summary>
    public ImmutableArray<OwnerAlarm> Alarms { get; init => field = value.IsDefault ? [] : value; } = [];
}
