using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>VerifierContext is what a verifier brings (docs/spec/answers.md section 2). Never filled from the answer that is verified.</summary>
public sealed record VerifierContext
{
    /// <summary>Anchor of trust.</summary>
    public required TrustAnchor Anchor { get; init; }

    /// <summary>NowMs is the verifier's clock in Unix milliseconds.</summary>
    public required ulong NowMs { get; init; }

    /// <summary>KeptSize of the checkpoint kept.</summary>
    /// <value>0: none.</value>
    public ulong KeptSize { get; init; }

    /// <summary>KeptRoot of the checkpoint kept, 32 octets; empty when there is none.</summary>
    public ReadOnlyMemory<byte> KeptRoot { get; init; }

    /// <summary>KeptRecord is a record of the log that was verified before, or empty.</summary>
    public ReadOnlyMemory<byte> KeptRecord { get; init; }

    /// <summary>
    /// KeptPeriodRecord is the record of the first epoch of KeptRecord's period, or empty: not known, and unless KeptRecord is of that epoch a switch of
    /// the period is refused.
    /// </summary>
    public ReadOnlyMemory<byte> KeptPeriodRecord { get; init; }

    /// <summary>
    /// EndedRecord is the record of the last epoch of the period that was asked for (docs/spec/periods.md section 5), or empty: the current period was asked. The answer's
    /// record is this one; neither its age nor KeptRecord is looked at. History and monitoring take one, nothing else does.
    /// </summary>
    public ReadOnlyMemory<byte> EndedRecord { get; init; }
}
