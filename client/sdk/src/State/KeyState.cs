namespace Optiks.Client;

/// <summary>The state that a client keeps of a key that it looked up (docs/spec/pahd.md section 3).</summary>
public sealed record KeyState
{
    /// <summary>The least epoch that the client will accept for the key: the last epoch that it verified for the key.</summary>
    public required ulong LeastEpoch { get; init; }

    /// <summary>The period of the version.</summary>
    public required ulong Period { get; init; }

    /// <summary>The known version; 0 if no version is known.</summary>
    public required ulong Version { get; init; }

    /// <summary>The time (<c>T</c> in docs/spec/pahd.md) of the version.</summary>
    public required ulong Time { get; init; }

    /// <summary>The last epoch at which an answer proved that the next version did not exist.</summary>
    public ulong? AbsentEpoch { get; init; }

    /// <summary>
    /// The epoch of the last answer that had all proofs of the version. Answers may leave out proofs that the client already knows.
    /// </summary>
    public ulong? ProvenEpoch { get; init; }

    /// <summary>The epoch of the version's leaf.</summary>
    public ulong PublishedEpoch { get; init; }

    /// <summary>
    /// Whether the client knew a version of an earlier period, and this period did not begin with a copy of that version
    /// (docs/spec/periods.md section 6). This stays set as long as the period lasts.
    /// </summary>
    public bool NotCopied { get; init; }

    /// <summary>The SHA-256 of the value in hexadecimal; null if there is no version.</summary>
    public string? ValueSha256 { get; init; }
}
