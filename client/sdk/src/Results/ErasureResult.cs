namespace Optiks.Client;

/// <summary>
/// Reports the outcome of a request to erase values, and until when a copy may remain (docs/spec/erasure.md section 5). The outcome is what
/// the server says: nobody can prove that somebody destroyed something. The log cannot limit backups, exports and copies that others made.
/// </summary>
public sealed record ErasureResult
{
    /// <summary>The key whose versions are erased; null for a user's versions.</summary>
    public ReadOnlyMemory<byte>? Key { get; init; }

    /// <summary>The username of the user whose versions are erased; null for a key's versions.</summary>
    public ReadOnlyMemory<byte>? Username { get; init; }

    /// <summary>
    /// The id of the user whose versions are erased; null for a key's versions, or when nothing was sent because the username led to no
    /// user.
    /// </summary>
    public ReadOnlyMemory<byte>? User { get; init; }

    /// <summary>The versions that are erased; null for everything of a user who has left.</summary>
    public (ulong From, ulong To)? Versions { get; init; }

    /// <summary>The period of the versions; null for everything of a user who has left, or when nothing was sent.</summary>
    public ulong? Period { get; init; }

    /// <summary>The id under which the server knows the request.</summary>
    public required Guid RequestId { get; init; }

    /// <summary>The status so far.</summary>
    public required ErasureStatus Status { get; init; }

    /// <summary>The epoch that erased the versions; null unless erased.</summary>
    public ulong? Epoch { get; init; }

    /// <summary>The versions that were erased, among those that still existed.</summary>
    public IReadOnlyList<ErasedVersion> Erased { get; init; } = [];

    /// <summary>
    /// The reason of a refusal, such as <c>latest-version</c>; null unless refused, or when the answer about the user was refused
    /// (<see cref="Lookup"/>).
    /// </summary>
    public string? RefusedBecause { get; init; }

    /// <summary>The key's current version when the request was refused; null unless the server says it.</summary>
    public KeyVersionNumber? Current { get; init; }

    /// <summary>
    /// The time at which even a replica that no longer follows the log stops serving the erased values. Clients and the replica itself
    /// refuse an epoch that is too old. The time follows from the time of a verified record of the epoch or a later one; null without such
    /// a record.
    /// </summary>
    public DateTimeOffset? ServedUntil { get; init; }

    /// <summary>
    /// The lookup that shows no user or is refused, or the refused newest epoch; null otherwise. If it came before the request, nothing was
    /// sent. If it came after the server reported the erasure, the server's report cannot be believed.
    /// </summary>
    public VerifiedAnswer? Lookup { get; init; }
}
