using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>
/// Holds a verifier's own inputs to a verification (docs/spec/answers.md section 2). The caller must never take these inputs from the
/// answer under verification.
/// </summary>
public sealed record VerifierContext
{
    /// <summary>The trust anchor.</summary>
    public required TrustAnchor Anchor { get; init; }

    /// <summary>The verifier's clock in Unix milliseconds.</summary>
    public required ulong NowMs { get; init; }

    /// <summary>The size of the kept checkpoint.</summary>
    /// <value>0: no checkpoint is kept.</value>
    public ulong KeptSize { get; init; }

    /// <summary>The root of the kept checkpoint, 32 bytes; empty if no checkpoint is kept.</summary>
    public ReadOnlyMemory<byte> KeptRoot { get; init; }

    /// <summary>A record of the log that was verified before, or empty.</summary>
    public ReadOnlyMemory<byte> KeptRecord { get; init; }

    /// <summary>
    /// The record of the first epoch of KeptRecord's period. It is empty if this record is not known: the verifier then refuses a switch
    /// unless KeptRecord itself is the record of that epoch.
    /// </summary>
    public ReadOnlyMemory<byte> KeptPeriodRecord { get; init; }

    /// <summary>
    /// The record of the last epoch of the queried period (docs/spec/periods.md section 5), or empty for the current period. The answer's
    /// record must then equal this record; the verifier checks neither the answer's age nor KeptRecord. Only history and monitoring use
    /// this member.
    /// </summary>
    public ReadOnlyMemory<byte> EndedRecord { get; init; }
}
