namespace Optiks.ServiceDefaults;

/// <summary>
/// Lists about which keys and users an endpoint can answer a caller with a token. A caller with an API key of the same scope gets answers
/// about all keys and users.
/// </summary>
public enum TokenReach
{
    /// <summary>The endpoint accepts only API keys.</summary>
    Nothing,

    /// <summary>The endpoint answers only about the token's keys, and checks each requested key with
    /// <see cref="CallerRights.Owns"/>.</summary>
    OwnKeys,

    /// <summary>
    /// A caller with a token can only change the devices of the token's user, or decommission that user. The endpoint checks this with
    /// <see cref="CallerRights.IsOwnUser"/> and <see cref="CallerRights.IsToken"/>.
    /// </summary>
    OwnDevices,

    /// <summary>The endpoint answers only about the token's user, and checks the requested user with
    /// <see cref="CallerRights.IsOwnUser"/>.</summary>
    OwnUser,

    /// <summary>The endpoint answers about the token's keys and about its user. It accepts an item if <see cref="CallerRights.Owns"/> or
    /// <see cref="CallerRights.IsOwnUser"/> accepts it.</summary>
    OwnKeysAndUser,

    /// <summary>The endpoint answers about everything, as for an API key.</summary>
    Everything,
}
