namespace Optiks.ServiceDefaults;

/// <summary>
/// Lists the items about which an endpoint answers the holder of a token. An API key with the same scope reaches everything.
/// </summary>
public enum TokenReach
{
    /// <summary>The endpoint accepts only API keys.</summary>
    Nothing,

    /// <summary>The token's keys: the endpoint checks each item with <see cref="CallerRights.Owns"/>.</summary>
    OwnKeys,

    /// <summary>
    /// The token's user, whose devices change or who leaves: the endpoint checks with <see cref="CallerRights.IsOwnUser"/> and
    /// <see cref="CallerRights.IsToken"/>.
    /// </summary>
    OwnDevices,

    /// <summary>The token's user: the endpoint checks with <see cref="CallerRights.IsOwnUser"/>.</summary>
    OwnUser,

    /// <summary>The token's keys and user: the endpoint checks with both methods, and accepts if either of them accepts.</summary>
    OwnKeysAndUser,

    /// <summary>Everything, as for an API key.</summary>
    Everything,
}
