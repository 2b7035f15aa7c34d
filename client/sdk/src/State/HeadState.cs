using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>HeadState is the newest signed view of the log that this client verified.</summary>
public sealed record HeadState
{
    /// <summary>Size of the checkpoint.</summary>
    public required ulong Size { get; init; }

    /// <summary>Root of the checkpoint, 32 octets.</summary>
    public required byte[] Root { get; init; }

    /// <summary>Checkpoint is the signed note itself: one half of the evidence should the log fork.</summary>
    public required byte[] Checkpoint { get; init; }

    /// <summary>Record of the latest epoch verified.</summary>
    public required byte[] Record { get; init; }

    /// <summary>Period of the record.</summary>
    internal ulong Period => EpochRecord.PeriodOf(Record);
}
