namespace Optiks.Native;

/// <summary>UserKind is what an answer says of a user (docs/spec/users.md section 1); the values are those of the answer.</summary>
public enum UserKind
{
    /// <summary>None: the username leads nowhere.</summary>
    None = 0,

    /// <summary>Left: the user has been decommissioned, for good.</summary>
    Left = 1,

    /// <summary>Current: the user has a device list.</summary>
    Current = 2,
}
