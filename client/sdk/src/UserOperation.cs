namespace Optiks.Client;

/// <summary>The kinds of changes of a user (docs/spec/users.md section 7).</summary>
public enum UserOperation
{
    /// <summary>Creates a user, with usernames and first devices.</summary>
    Create,

    /// <summary>Adds a username.</summary>
    AddUsername,

    /// <summary>Adds a device to the list, with its value.</summary>
    AddDevice,

    /// <summary>Gives a device on the list a new value.</summary>
    SetDevice,

    /// <summary>Removes a device from the list; the device's id must not be used again.</summary>
    RemoveDevice,

    /// <summary>Makes the user leave for good.</summary>
    Decommission,
}
