namespace Optiks.Client;

/// <summary>UserOperation is a kind of change of a user (docs/spec/users.md section 7).</summary>
public enum UserOperation
{
    /// <summary>A new user, with usernames and first devices.</summary>
    Create,

    /// <summary>One more username.</summary>
    AddUsername,

    /// <summary>A device more on the list, with its value.</summary>
    AddDevice,

    /// <summary>A new value of a device on the list.</summary>
    SetDevice,

    /// <summary>A device less on the list; its id is not used again.</summary>
    RemoveDevice,

    /// <summary>The user leaves, for good.</summary>
    Decommission,
}
