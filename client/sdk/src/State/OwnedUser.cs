using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>
/// The state that an owner keeps of its own user (docs/spec/state.md section 3). The state of its devices' keys is among the owned keys.
/// </summary>
public sealed record OwnedUser
{
    /// <summary>The epoch of the last result; 0 before the first.</summary>
    public ulong LeastEpoch { get; init; }

    /// <summary>
    /// The period up to which the user was verified, or in which something of it was first set, or it was first seen. Null if there is no
    /// such period yet, or only that of <see cref="List"/> is known. If the period has ended, the owner continues from here to the next
    /// one.
    /// </summary>
    public ulong? Period { get; init; }

    /// <summary>Whether the user was seen to have left.</summary>
    public bool HasLeft { get; init; }

    /// <summary>The names that the owner calls its own, in base64url.</summary>
    public ImmutableArray<string> Names { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>The list up to which each version was verified; null before the first.</summary>
    public OwnedList? List { get; init; }

    /// <summary>
    /// The epoch of the look in which all versions of the list's period were shown: later looks leave out what it showed. Before the first
    /// list, the end of the first period in which no name led to the user.
    /// </summary>
    public ulong? ProvenEpoch { get; init; }

    /// <summary>The followed ids, in base64url: devices on the list, and former devices with alarms that nobody has acknowledged.</summary>
    public ImmutableArray<string> Followed { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>The expected changes, in the order in which they were requested.</summary>
    public ImmutableArray<ExpectedUserChange> Expected { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>Epochs without guarantee, for the list and its devices: their period was gone before its end was verified.</summary>
    public ImmutableArray<NoGuarantee> NoGuarantee { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>Alarms that nobody has acknowledged. Alarms about values of devices are with the owned keys.</summary>
    public ImmutableArray<UserAlarm> Alarms { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>The period from which monitoring continues; null for the period that is current at the next look.</summary>
    internal ulong? GoesOnFrom => Period ?? List?.Period;
}
