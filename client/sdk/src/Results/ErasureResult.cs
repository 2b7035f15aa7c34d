using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Reports the outcome of a request to erase values, and until when a replica may serve a copy (docs/spec/erasure.md section 5). The
/// outcome is only the server's statement, because nobody can prove that a server destroyed its data. The log cannot limit backups, exports
/// and copies that other people made.
/// </summary>
public sealed record ErasureResult
{
    /// <summary>
    /// The kind of the request, as the caller asked for it: <c>keys</c> for the versions of a key, <c>devices</c> for a user's lists or for
    /// everything of a user. The server's answers do not name the kind.
    /// </summary>
    public required StructureId Structure { get; init; }

    /// <summary>The key whose versions the request erases; null for a user's versions.</summary>
    public ReadOnlyMemory<byte>? Key { get; init; }

    /// <summary>The username of the user whose versions the request erases; null for a key's versions.</summary>
    public ReadOnlyMemory<byte>? Username { get; init; }

    /// <summary>
    /// The id of the user whose versions the request erases; null for a key's versions, or when nothing was sent because the username led
    /// to no user.
    /// </summary>
    public ReadOnlyMemory<byte>? User { get; init; }

    /// <summary>The versions that the request erases; null if the request erases everything of a user who has left.</summary>
    public (ulong From, ulong To)? Versions { get; init; }

    /// <summary>
    /// The period of the versions; null if the request erases everything of a user who has left, or if the client sent nothing.
    /// </summary>
    public ulong? Period { get; init; }

    /// <summary>The id under which the server knows the request.</summary>
    public required Guid RequestId { get; init; }

    /// <summary>The status of the request so far.</summary>
    public required ErasureStatus Status { get; init; }

    /// <summary>The epoch that erased the versions; null unless the server reports the versions as erased.</summary>
    public ulong? Epoch { get; init; }

    /// <summary>The versions that the request erased. The list leaves out versions that had no value any more.</summary>
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
    /// The answer that kept the client from sending the request, or that puts the server's report in doubt; null if there is no such
    /// answer. It is a lookup that shows no user, a lookup that the client refused, or a refused answer with the newest epoch. If this
    /// answer came before the request, the client sent nothing. If it came after the server reported the erasure, callers must not believe
    /// the server's report.
    /// </summary>
    public VerifiedAnswer? Lookup { get; init; }
}
