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
    /// <value>The default is 0, which means that no checkpoint is kept.</value>
    public ulong KeptSize { get; init; }

    /// <summary>The root of the kept checkpoint, 32 bytes; empty if no checkpoint is kept.</summary>
    public ReadOnlyMemory<byte> KeptRoot { get; init; }

    /// <summary>A record of the log that the verifier accepted earlier; empty if there is no such record.</summary>
    public ReadOnlyMemory<byte> KeptRecord { get; init; }

    /// <summary>
    /// The record of the first epoch of the period of <see cref="KeptRecord"/>. If it is empty (not known), the verifier refuses a switch,
    /// unless <see cref="KeptRecord"/> itself is the record of that epoch.
    /// </summary>
    public ReadOnlyMemory<byte> KeptPeriodRecord { get; init; }

    /// <summary>
    /// For a query about an ended period, the record of the period's last epoch (docs/spec/periods.md section 5); otherwise empty. If it is
    /// not empty, the answer's record must equal this record, and the verifier checks neither the answer's age nor
    /// <see cref="KeptRecord"/>. Only history and monitoring use this member.
    /// </summary>
    public ReadOnlyMemory<byte> EndedRecord { get; init; }
}
