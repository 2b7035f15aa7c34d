namespace Optiks.Client;

/// <summary>
/// An alarm about an owner's user itself: it has left although the owner did not request that with this state, or one of its names leads to
/// another user. The alarm stays until the owner acknowledges it.
/// </summary>
/// <param name="Epoch">The epoch at which the client saw the fact.</param>
/// <param name="Name">The name that leads to another user, in base64url; null if the user has left.</param>
/// <param name="User">The user to whom the name leads, in base64url; null if the user has left.</param>
public sealed record PersonAlarm(ulong Epoch, string? Name = null, string? User = null);
