namespace Optiks.Client;

/// <summary>LookupResult is the latest value of one key, or its proven absence, or why the answer is refused.</summary>
public sealed record LookupResult : VerifiedAnswer
{
    internal LookupResult(Outcome outcome)
        : base(outcome)
    {
    }

    /// <inheritdoc/>
    public override Verdict Verdict => !IsValid ? base.Verdict : Version == 0 ? Verdict.Absent : Verdict.Present;

    /// <summary>Key that was asked for.</summary>
    public required ReadOnlyMemory<byte> Key { get; init; }

    /// <summary>Version of the value in the head's period: 1, 2, ...; 0 when absent or not valid.</summary>
    public ulong Version { get; init; }

    /// <summary>PublishedEpoch inserted the version; 0 for a copy made at a period's start, or when there is none.</summary>
    public ulong PublishedEpoch { get; init; }

    /// <summary>Value, exactly as it was set; null unless present.</summary>
    public ReadOnlyMemory<byte>? Value { get; init; }

    /// <summary>Unchanged since this client last verified the key: the value is the remembered one.</summary>
    public bool Unchanged { get; init; }

    /// <summary>
    /// NotCopied: a version was known here in an earlier period, and this one did not begin with a copy of it (docs/spec/periods.md section 6). The user whose device it is had left by then, which a lookup of the user
    /// proves; otherwise the log dropped it. Said of each answer of the period.
    /// </summary>
    public bool NotCopied { get; init; }

    /// <summary>AtFault: in a refused answer for several keys, the one whose proof failed first.</summary>
    public bool AtFault { get; init; }
}
