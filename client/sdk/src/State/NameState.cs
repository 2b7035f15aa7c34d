namespace Optiks.Client;

/// <summary>The state that a client keeps of a username that it looked up (docs/spec/state.md section 1).</summary>
public sealed record NameState
{
    /// <summary>The least epoch that will be accepted for the username: that of the last answer about it.</summary>
    public required ulong LeastEpoch { get; init; }

    /// <summary>
    /// The user to whom the username leads, base64url of the user id; null if it led to no user yet. Within one <see cref="Generation"/> it
    /// never changes.
    /// </summary>
    public string? User { get; init; }

    /// <summary>
    /// The epoch of the last answer that proved that the username leads to the user: the earliest of its records. Null if it is no longer
    /// known, or there is no user.
    /// </summary>
    public ulong? ProvenEpoch { get; init; }

    /// <summary>
    /// The generation of the username in which it leads to the user, in a log that reassigns usernames; null in others, and without a user.
    /// </summary>
    public uint? Generation { get; init; }
}
