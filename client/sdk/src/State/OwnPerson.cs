using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>The owner's part of a user, apart from the chains of its device list and of the keys of its devices.</summary>
public sealed record OwnPerson
{
    /// <summary>
    /// The period from which monitoring of the user continues. Before the first result, it is the period in which the owner first changed
    /// the user, or an answer first showed the user. Null for the period that is current when the owner next monitors the user.
    /// </summary>
    public ulong? GoesOnFrom { get; init; }

    /// <summary>
    /// Whether a verified answer showed that the user has left, and the owner heard of it by an alarm or had requested it.
    /// </summary>
    public bool HasLeft { get; init; }

    /// <summary>The usernames that the owner counts as its own, in base64url.</summary>
    public ImmutableArray<string> Names { get; init; } = [];

    /// <summary>
    /// The ids of the devices that monitoring follows, in base64url: devices on the list, and former devices with alarms that the owner has
    /// not acknowledged.
    /// </summary>
    public ImmutableArray<string> Followed { get; init; } = [];

    /// <summary>The ids of the requests that make the user leave and that the log has not shown yet.</summary>
    public ImmutableArray<Guid> Leaving { get; init; } = [];

    /// <summary>The alarms about the user itself that the owner has not acknowledged.</summary>
    public ImmutableArray<PersonAlarm> Alarms { get; init; } = [];
}
