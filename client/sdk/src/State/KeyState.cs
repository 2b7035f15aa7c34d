namespace Optiks.Client;

/// <summary>KeyState is what a client keeps of a key that it looked up (docs/spec/pahd.md section 3).</summary>
public sealed record KeyState
{
    /// <summary>LeastEpoch that will be accepted for the key: the last one verified.</summary>
    public required ulong LeastEpoch { get; init; }

    /// <summary>Period that the version belongs to.</summary>
    public required ulong Period { get; init; }

    /// <summary>Version known, 0: none.</summary>
    public required ulong Version { get; init; }

    /// <summary>Time T of the version.</summary>
    public required ulong Time { get; init; }

    /// <summary>AbsentEpoch is the last epoch at which the next version was proven absent.</summary>
    public ulong? AbsentEpoch { get; init; }

    /// <summary>ProvenEpoch is that of the last answer in which all proofs of the version were sent, none of them left out as known.</summary>
    public ulong? ProvenEpoch { get; init; }

    /// <summary>PublishedEpoch of the version's leaf.</summary>
    public ulong PublishedEpoch { get; init; }

    /// <summary>NotCopied: a version was known in an earlier period, and this one did not begin with a copy of it (docs/spec/periods.md section 6). It is said as long as the period lasts.</summary>
    public bool NotCopied { get; init; }

    /// <summary>ValueSha256 in hexadecimal; null when there is no version.</summary>
    public string? ValueSha256 { get; init; }
}
