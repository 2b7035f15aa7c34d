using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>OwnedUser is what an owner keeps of a user of its own (docs/spec/state.md section 3). What it keeps of the keys of its devices is among the owned keys.</summary>
public sealed record OwnedUser
{
    /// <summary>LeastEpoch is the epoch of the last result; 0: there was none.</summary>
    public ulong LeastEpoch { get; init; }

    /// <summary>Period up to which the user was verified, or in which something of it was first set, or it was first seen; null: in none yet, or only that of <see cref="List"/> is known. If it has ended, the owner goes on from here to the next one.</summary>
    public ulong? Period { get; init; }

    /// <summary>HasLeft: the user was seen to have left.</summary>
    public bool HasLeft { get; init; }

    /// <summary>Names that the owner calls its own, in base64url.</summary>
    public ImmutableArray<string> Names { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>List up to which each version was verified; null: none yet.</summary>
    public OwnedList? List { get; init; }

    /// <summary>ProvenEpoch is that of the look in which all versions of the list's period were shown: later ones leave out what it showed. Before the first list: the end of the first period in which no name led to the user.</summary>
    public ulong? ProvenEpoch { get; init; }

    /// <summary>Followed ids, in base64url: devices on the list, and those that were on it and whose alarms nobody has acknowledged.</summary>
    public ImmutableArray<string> Followed { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>Expected changes, in the order in which they were asked for.</summary>
    public ImmutableArray<ExpectedUserChange> Expected { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>NoGuarantee for these epochs, for the list and the devices on it: their period was gone before its end was verified.</summary>
    public ImmutableArray<NoGuarantee> NoGuarantee { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>Alarms that nobody has acknowledged. Those about values of devices are with the owned keys.</summary>
    public ImmutableArray<UserAlarm> Alarms { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>GoesOnFrom this period; null: from the one that is current when the user is looked at.</summary>
    internal ulong? GoesOnFrom => Period ?? List?.Period;
}
