namespace Optiks.ServiceDefaults;

/// <summary>TokenReach is how far a token with the scope gets, where an API key gets everything.</summary>
public enum TokenReach
{
    /// <summary>Nothing: the endpoint is for API keys alone.</summary>
    Nothing,

    /// <summary>OwnKeys: the endpoint checks each item by <see cref="CallerRights.Owns"/>.</summary>
    OwnKeys,

    /// <summary>OwnDevices: the token's user, whose devices change or who leaves; the endpoint checks by <see cref="CallerRights.IsOwnUser"/> and <see cref="CallerRights.IsToken"/>.</summary>
    OwnDevices,

    /// <summary>OwnUser: the endpoint checks by <see cref="CallerRights.IsOwnUser"/>.</summary>
    OwnUser,

    /// <summary>OwnKeysAndUser: the endpoint checks by both of these, and one is enough.</summary>
    OwnKeysAndUser,

    /// <summary>Everything, as an API key.</summary>
    Everything,
}
