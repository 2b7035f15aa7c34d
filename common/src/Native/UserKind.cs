namespace Optiks.Native;

/// <summary>
/// Lists what an answer can show about a user (docs/spec/users.md section 1); the values are the numbers that the answer contains.
/// </summary>
public enum UserKind
{
    /// <summary>The username leads to no user.</summary>
    None = 0,

    /// <summary>The user has been decommissioned, permanently.</summary>
    Left = 1,

    /// <summary>The user has a device list.</summary>
    Current = 2,
}
