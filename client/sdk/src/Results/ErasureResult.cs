namespace Optiks.Client;

/// <summary>
/// Reports the outcome of a request to erase values, and until when a replica may serve a copy (docs/spec/erasure.md section 5). The
/// outcome is only the server's statement, because nobody can prove that a server destroyed its data. The log cannot limit backups, exports
/// and copies that other people made.
/// </summary>
public sealed record ErasureResult
{
    /// <summary>The key whose versions the request erases; null for a user's versions.</summary>
    public ReadOnlyMemory<byte>? Key { get; init; }

    /// <summary>The username of the user whose versions the request erases; null for a key's versions.</summary>
    public ReadOnlyMemory<byte>? Username { get; init; }

    /// <summary>
    /// The id of the user whose versions the request erases; null for a key's versions, or when nothing was sent because the username led
    /// to no user.
    /// </summary>
    public ReadOnlyMemory<byte>? User { get; init; }

    /// <summary>The versions that the request erases; null for everything of a user who has left.</summary>
    public (ulong From, ulong To)? Versions { get; init; }

    /// <summary>The period of the versions; null for everything of a user who has left, or when nothing was sent.</summary>
    public ulong? Period { get; init; }

    /// <summary>The id under which the server knows the request.</summary>
    public required Guid RequestId { get; init; }

    /// <summary>The status of the request so far.</summary>
    public required ErasureStatus Status { get; init; }

    /// <summary>The epoch that erased the versions; null unless the server reports the versions as erased.</summary>
    public ulong? Epoch { get; init; }

    /// <summary>The versions that the request erased: only versions that still had their value.</summary>
    public IReadOnlyList<ErasedVersion> Erased { get; init; } = [];

    /// <summary>
    /// The reason of a refusal, such as <c>latest-version</c>. Null unless the request was refused, and null if the client sent nothing
    /// because it refused the answer about the user (<see cref="Lookup"/>).
    /// </summary>
    public string? RefusedBecause { get; init; }

    /// <summary>The key's current version when the server refused the request; null unless the server names it.</summary>
    public KeyVersionNumber? Current { get; init; }

    /// <summary>
    /// The time at which even a replica that no longer follows the log stops serving the erased values. Clients and the replica itself
    /// refuse an epoch that is too old. The time follows from the time of a verified record of the epoch or a later one; null if the client
    /// has no such record.
    /// </summary>
    public DateTimeOffset? ServedUntil { get; init; }

    /// <summary>
    /// The lookup that shows no user or that the client refused, or the answer with the newest epoch if the client refused that answer;
    /// null if there is no such answer. If this answer came before the request, the client sent nothing. If it came after the server
    /// reported the erasure, the server's report cannot be believed.
    /// </summary>
    public VerifiedAnswer? Lookup { get; init; }
}
