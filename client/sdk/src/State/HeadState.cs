using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>The newest signed view of the log that this client verified.</summary>
public sealed record HeadState
{
    /// <summary>The size of the checkpoint.</summary>
    public required ulong Size { get; init; }

    /// <summary>The root of the checkpoint, 32 octets.</summary>
    public required byte[] Root { get; init; }

    /// <summary>The signed note of the checkpoint. If the log forks, this note is one of the two notes in the evidence.</summary>
    public required byte[] Checkpoint { get; init; }

    /// <summary>The record of the latest epoch that the client verified.</summary>
    public required byte[] Record { get; init; }

    /// <summary>The period of the record.</summary>
    internal ulong Period => EpochRecord.ReadPeriod(Record);
}
