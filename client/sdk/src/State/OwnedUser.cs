using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>OwnedUser is what an owner keeps of a user of its own (docs/spec/state.md section 3). What it keeps of the keys of its devices is among the owned keys.</summary>
public sealed record OwnedUser
{
    /// <summary>LeastEpoch is the epoch of the last result; 0: there was none.</summary>
    public ulong LeastEpoch { get; init; }

    /// <summary>HasLeft: the user was seen to have left.</summary>
    public bool HasLeft { get; init; }

    /// <summary>Names that the owner calls its own, in base64url.</summary>
    public ImmutableArray<string> Names { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>List up to which each version was verified; null: none yet.</summary>
    public OwnedList? List { get; init; }

    /// <summary>Followed ids, in base64url: devices on the list, and those that were on it and whose alarms nobody has acknowledged.</summary>
    public ImmutableArray<string> Followed { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>Expected changes, in the order in which they were asked for.</summary>
    public ImmutableArray<ExpectedUserChange> Expected { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>Alarms that nobody has acknowledged. Those about values of devices are with the owned keys.</summary>
    public ImmutableArray<UserAlarm> Alarms { get; init => field = value.IsDefault ? [] : value; } = [];
}
