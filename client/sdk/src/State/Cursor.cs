namespace Optiks.Client;

/// <summary>A position in the versions of a chain: one version of one period, and what was proven about it.</summary>
public sealed record Cursor
{
    /// <summary>The period of the version. Versions of different periods cannot be compared by their numbers.</summary>
    public required ulong Period { get; init; }

    /// <summary>The version; 0 if the period has no version so far.</summary>
    public ulong Version { get; init; }

    /// <summary>The time (<c>T</c> in docs/spec/pahd.md) of the version; 0 if there is no version.</summary>
    public ulong Time { get; init; }

    /// <summary>The last epoch at which an answer proved that the next version did not exist; null if no answer proved that.</summary>
    public ulong? AbsentEpoch { get; init; }

    /// <summary>
    /// The epoch of the last answer that left out no proof of what the cursor says. Later answers may leave out the proofs that the client
    /// already verified, if auditors cover all epochs since then (docs/spec/cosigners.md section 4).
    /// </summary>
    public ulong? ProvenEpoch { get; init; }

    /// <summary>
    /// The SHA-256 of the version's value in hexadecimal; null if there is no version, or its value was erased. A cursor with version 0
    /// that follows a period without guarantee has the hash of the last verified value, because the period must begin with a copy.
    /// </summary>
    public string? ValueSha256 { get; init; }
}
