namespace Optiks.Client;

/// <summary>The latest value of one key, or the proof that the key is absent, or the reason why the client refused the answer.</summary>
public sealed record LookupResult : VerifiedAnswer
{
    internal LookupResult(Outcome outcome)
        : base(outcome)
    {
    }

    /// <inheritdoc/>
    public override Verdict Verdict => !IsValid ? base.Verdict : Version == 0 ? Verdict.Absent : Verdict.Present;

    /// <summary>The requested key.</summary>
    public required ReadOnlyMemory<byte> Key { get; init; }

    /// <summary>The version of the value in the head's period: 1, 2, ...; 0 when the key is absent or the answer is not valid.</summary>
    public ulong Version { get; init; }

    /// <summary>The epoch that inserted the version; 0 for a copy made at a period's start, or when there is no version.</summary>
    public ulong PublishedEpoch { get; init; }

    /// <summary>The value, exactly as it was set; null unless the key is present.</summary>
    public ReadOnlyMemory<byte>? Value { get; init; }

    /// <summary>
    /// Whether the key is unchanged since this client last verified it. If so, the value is the one that the client remembered.
    /// </summary>
    public bool Unchanged { get; init; }

    /// <summary>
    /// Whether the client knew a version in an earlier period, and this period did not begin with a copy of that version
    /// (docs/spec/periods.md section 6). Either the key belongs to a device whose user had left by then, which a lookup of the user proves,
    /// or the log dropped the key. This stays true in all answers of the period.
    /// </summary>
    public bool NotCopied { get; init; }

    /// <summary>Whether this key's proof is the one that failed first, in a refused answer for several keys.</summary>
    public bool AtFault { get; init; }
}
