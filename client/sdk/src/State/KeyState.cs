namespace Optiks.Client;

/// <summary>The state that a client keeps of a key that it looked up (docs/spec/pahd.md section 3).</summary>
public sealed record KeyState
{
    /// <summary>The least epoch that will be accepted for the key: the last one verified.</summary>
    public required ulong LeastEpoch { get; init; }

    /// <summary>The period of the version.</summary>
    public required ulong Period { get; init; }

    /// <summary>The known version; 0 if no version is known.</summary>
    public required ulong Version { get; init; }

    /// <summary>The time T of the version.</summary>
    public required ulong Time { get; init; }

    /// <summary>The last epoch at which the next version was proven absent.</summary>
    public ulong? AbsentEpoch { get; init; }

    /// <summary>The epoch of the last answer that had all proofs of the version, and left out none as known.</summary>
    public ulong? ProvenEpoch { get; init; }

    /// <summary>The epoch of the version's leaf.</summary>
    public ulong PublishedEpoch { get; init; }

    /// <summary>
    /// Whether a version was known in an earlier period, and this period did not begin with a copy of it (docs/spec/periods.md section 6).
    /// Set as long as the period lasts.
    /// </summary>
    public bool NotCopied { get; init; }

    /// <summary>The SHA-256 of the value in hexadecimal; null without a version.</summary>
    public string? ValueSha256 { get; init; }
}
