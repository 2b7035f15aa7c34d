using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>
/// The state that an owner keeps of its own user (docs/spec/state.md section 3). The property <see cref="ClientState.Owned"/> has the state
/// of the keys of the user's devices.
/// </summary>
public sealed record OwnedUser
{
    /// <summary>The epoch of the last monitoring result about the user; 0 before the first result.</summary>
    public ulong LeastEpoch { get; init; }

    /// <summary>
    /// The period up to which the owner verified the user. Before the first verification, it is the period in which the owner first changed
    /// the user, or an answer first showed the user. It is null if there is no such period yet, or if the state has only the period of
    /// <see cref="List"/>. If the period has ended, the owner continues from it to the next period.
    /// </summary>
    public ulong? Period { get; init; }

    /// <summary>Whether a verified answer showed that the user has left.</summary>
    public bool HasLeft { get; init; }

    /// <summary>The usernames that the owner counts as its own, in base64url.</summary>
    public ImmutableArray<string> Names { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>The list version up to which the owner verified every version; null before the first list.</summary>
    public OwnedList? List { get; init; }

    /// <summary>
    /// The epoch of the monitoring answer that showed all versions of the list's period. Later monitoring answers leave out the versions
    /// that this answer showed. As long as the owner has verified no list, this is the last epoch of the first period in which no name led
    /// to the user.
    /// </summary>
    public ulong? ProvenEpoch { get; init; }

    /// <summary>
    /// The ids of the devices that monitoring follows, in base64url: devices on the list, and former devices with alarms that the owner has
    /// not acknowledged.
    /// </summary>
    public ImmutableArray<string> Followed { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>The expected changes, in the order in which they were requested.</summary>
    public ImmutableArray<ExpectedUserChange> Expected { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>
    /// The epochs without guarantee, for the list and its devices. The owner did not verify them before the log stopped serving their
    /// period.
    /// </summary>
    public ImmutableArray<NoGuarantee> NoGuarantee { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>
    /// The alarms that the owner has not acknowledged. The alarms about values of devices are in <see cref="ClientState.Owned"/>.
    /// </summary>
    public ImmutableArray<UserAlarm> Alarms { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>
    /// The period from which monitoring continues; null for the period that is current when the owner next monitors the user.
    /// </summary>
    internal ulong? GoesOnFrom => Period ?? List?.Period;
}
