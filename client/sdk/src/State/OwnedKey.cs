using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>OwnedKey is what an owner keeps of a key of its own: how far every version was verified, and what it set itself.</summary>
public sealed record OwnedKey
{
    /// <summary>Period that the versions belong to. If it has ended, the owner goes on from here to the next one.</summary>
    public ulong Period { get; init; }

    /// <summary>Version up to which each one was verified, 0: none.</summary>
    public ulong Version { get; init; }

    /// <summary>Time T of the version.</summary>
    public ulong Time { get; init; }

    /// <summary>AbsentEpoch is the last epoch at which all later versions were proven absent.</summary>
    public ulong? AbsentEpoch { get; init; }

    /// <summary>ProvenEpoch is that of the look in which all versions of the period were shown: later ones leave out what it showed.</summary>
    public ulong? ProvenEpoch { get; init; }

    /// <summary>ValueSha256 of the version, in hexadecimal; null when there is none or it was erased. After a period without guarantee: that of the last version that was verified.</summary>
    public string? ValueSha256 { get; init; }

    /// <summary>Expected changes, in the order in which they were made here.</summary>
    public ImmutableArray<ExpectedChange> Expected { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>IsListedOnly: it is kept as a device of an owned user, and was neither set nor monitored by itself. Then it goes when it is on the list no more.</summary>
    public bool IsListedOnly { get; init; }

    /// <summary>NoGuarantee for these epochs: their period was gone before its end was verified.</summary>
    public ImmutableArray<NoGuarantee> NoGuarantee { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>Alarms that nobody has acknowledged.</summary>
    public ImmutableArray<OwnerAlarm> Alarms { get; init => field = value.IsDefault ? [] : value; } = [];
}
