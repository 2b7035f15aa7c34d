namespace Optiks.Client;

/// <summary>CosignerState is the newest checkpoint that an auditor or a witness of the client's policy cosigned, and that the head of the client extends.</summary>
public sealed record CosignerState
{
    /// <summary>Size of the checkpoint.</summary>
    public required ulong Size { get; init; }

    /// <summary>Root of the checkpoint, 32 octets.</summary>
    public required byte[] Root { get; init; }

    /// <summary>Checkpoint is the signed note with the log's signature and the cosigner's.</summary>
    public required byte[] Checkpoint { get; init; }
}
