namespace Optiks.Client;

/// <summary>The state that a client keeps of a username that it looked up (docs/spec/state.md section 1).</summary>
public sealed record NameState
{
    /// <summary>The least epoch that the client will accept for the username: the epoch of the last answer about the username.</summary>
    public required ulong LeastEpoch { get; init; }

    /// <summary>
    /// The id of the user to whom the username leads, in base64url; null if the username led to no user yet. Within one
    /// <see cref="Generation"/> the user never changes.
    /// </summary>
    public string? User { get; init; }

    /// <summary>
    /// The earliest epoch among the records of the last answer that proved that the username leads to the user. Null if the client no
    /// longer knows this epoch, or if there is no user.
    /// </summary>
    public ulong? ProvenEpoch { get; init; }

    /// <summary>
    /// In a log that reassigns usernames, the generation in which the username leads to the user. Null in other logs, and when there is no
    /// user.
    /// </summary>
    public uint? Generation { get; init; }
}
