namespace Optiks.Client;

/// <summary>NameState is what a client keeps of a username that it looked up (docs/spec/state.md section 1).</summary>
public sealed record NameState
{
    /// <summary>LeastEpoch that will be accepted for the username: that of the last answer about it.</summary>
    public required ulong LeastEpoch { get; init; }

    /// <summary>User that the username leads to, base64url of the user id; null when there was none yet. In one <see cref="Generation"/> it never changes.</summary>
    public string? User { get; init; }

    /// <summary>ProvenEpoch is that of the last answer in which it was proven that the username leads to the user, the earliest of its records; null: not known any more, or there is no user.</summary>
    public ulong? ProvenEpoch { get; init; }

    /// <summary>Generation of the username in which it leads to the user, in a log that uses usernames again; null in others, and without a user.</summary>
    public uint? Generation { get; init; }
}
