// Generated from docs/spec/facts.toml by `make facts`: do not edit.
namespace Optiks.Protocol;

/// <summary>The reasons why a username has no form (docs/spec/usernames.md section 3).</summary>
public enum UsernameFault
{
    /// <summary>The username has a form.</summary>
    Valid = 0,

    /// <summary>The username is empty, or the username or its form is longer than a key may be.</summary>
    Length = 1,

    /// <summary>The username is not UTF-8.</summary>
    Utf8 = 2,

    /// <summary>A character is not in the IdentifierClass, or is not assigned in Unicode 15.0.0.</summary>
    Character = 3,

    /// <summary>A character is at a place where its contextual rule does not allow it.</summary>
    Context = 4,

    /// <summary>The username has characters of both directions, or digits of both kinds.</summary>
    Direction = 5,

    /// <summary>The rules map the username's form to another form.</summary>
    Unstable = 6,
}
