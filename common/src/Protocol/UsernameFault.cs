// Generated from docs/spec/facts.toml by `make facts`: do not edit.
namespace Optiks.Protocol;

/// <summary>The reasons why a username has no form (docs/spec/usernames.md section 3).</summary>
public enum UsernameFault
{
    /// <summary>It has one.</summary>
    Valid = 0,

    /// <summary>It is empty, or it or its form is longer than a key may be.</summary>
    Length = 1,

    /// <summary>It is not UTF-8.</summary>
    Utf8 = 2,

    /// <summary>A character is not one of IdentifierClass, or not assigned in Unicode 15.0.0.</summary>
    Character = 3,

    /// <summary>A character is not where its contextual rule allows it.</summary>
    Context = 4,

    /// <summary>It has characters of both directions, or digits of both kinds.</summary>
    Direction = 5,

    /// <summary>The rules map its form to another form.</summary>
    Unstable = 6,
}
