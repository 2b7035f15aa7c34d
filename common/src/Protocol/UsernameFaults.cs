// Generated from docs/spec/facts.toml by `make facts`: do not edit.
namespace Optiks.Protocol;

/// <summary>Explains the faults of usernames to people.</summary>
public static class UsernameFaults
{
    /// <summary>Returns a sentence for the person who gave the username.</summary>
    public static string Sentence(this UsernameFault fault) => fault switch
    {
        UsernameFault.Length => "The username is empty or too long.",
        UsernameFault.Utf8 => "The username is not UTF-8.",
        UsernameFault.Character => "The username has a character that no username may have, such as a space or a symbol.",
        UsernameFault.Context => "The username has a character that may not stand where it does.",
        UsernameFault.Direction => "The username mixes characters that are written from left to right and from right to left.",
        UsernameFault.Unstable => "The username has no form that stays the same.",
        _ => throw new ArgumentOutOfRangeException(nameof(fault)),
    };
}
