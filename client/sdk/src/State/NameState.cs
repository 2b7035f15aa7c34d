namespace Optiks.Client;

/// <summary>The state that a client keeps of a username that it looked up (docs/spec/state.md section 1).</summary>
public sealed record NameState
{
    /// <summary>The least epoch that the client will accept for the username: the epoch of the last answer about the username.</summary>
    public required ulong LeastEpoch { get; init; }

    /// <summary>
    /// The user to whom the username leads, base64url of the user id; null if the username led to no user yet. Within one
    /// <see cref="Generation"/> the user never changes.
    /// </summary>
    public string? User { get; init; }

    /// <summary>
    /// The earliest epoch among the records of the last answer that proved that the username leads to the user. Null if the epoch is no
    /// longer known, or there is no user.
    /// </summary>
    public ulong? ProvenEpoch { get; init; }

    /// <summary>
    /// The generation of the username in which it leads to the user, in a log that reassigns usernames; null in other logs, and when there
    /// is no user.
    /// </summary>
    public uint? Generation { get; init; }
}
