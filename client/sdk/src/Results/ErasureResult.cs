namespace Optiks.Client;

/// <summary>
/// ErasureResult says what became of a request to erase values, and until when a copy may remain (docs/spec/erasure.md section 5). The server's word: that somebody destroyed something nobody can prove. Backups, exports
/// and copies that others took are not the log's to bound.
/// </summary>
public sealed record ErasureResult
{
    /// <summary>Key whose versions are erased; null: those of a user.</summary>
    public ReadOnlyMemory<byte>? Key { get; init; }

    /// <summary>Username of the user whose versions are erased; null: those of a key.</summary>
    public ReadOnlyMemory<byte>? Username { get; init; }

    /// <summary>User whose versions are erased, its id; null: those of a key, or nothing was sent as the username led to none.</summary>
    public ReadOnlyMemory<byte>? User { get; init; }

    /// <summary>Versions that are erased; null: all of a user who has left.</summary>
    public (ulong From, ulong To)? Versions { get; init; }

    /// <summary>Period of the versions; null: all of a user who has left, or nothing was sent.</summary>
    public ulong? Period { get; init; }

    /// <summary>RequestId under which the server knows the request.</summary>
    public required Guid RequestId { get; init; }

    /// <summary>Status so far.</summary>
    public required ErasureStatus Status { get; init; }

    /// <summary>Epoch that did it; null unless erased.</summary>
    public ulong? Epoch { get; init; }

    /// <summary>Erased versions: those that were there until then.</summary>
    public IReadOnlyList<ErasedVersion> Erased { get; init; } = [];

    /// <summary>RefusedBecause is the reason, such as <c>latest-version</c>; null unless refused, or the answer about the user is (<see cref="Lookup"/>).</summary>
    public string? RefusedBecause { get; init; }

    /// <summary>Current version of the key when it was refused; null unless the server says it.</summary>
    public KeyVersionNumber? Current { get; init; }

    /// <summary>
    /// ServedUntil is when the last replica, one that does not follow the log, stops to serve what was erased: clients and the replica itself refuse an epoch that is too old. By the time of a verified record of the epoch or a
    /// later one; null if there was none.
    /// </summary>
    public DateTimeOffset? ServedUntil { get; init; }

    /// <summary>
    /// Lookup that shows no user, or is refused, or the newest epoch, if that is refused; null otherwise. Before anything was sent, then nothing was; after the server said that it erased, then nothing that it says is to be
    /// believed.
    /// </summary>
    public VerifiedAnswer? Lookup { get; init; }
}
