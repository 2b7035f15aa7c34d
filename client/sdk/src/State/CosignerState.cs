namespace Optiks.Client;

/// <summary>The newest checkpoint that one auditor or witness of the client's policy cosigned. The client's head extends it.</summary>
public sealed record CosignerState
{
    /// <summary>The size of the checkpoint.</summary>
    public required ulong Size { get; init; }

    /// <summary>The root of the checkpoint, 32 octets.</summary>
    public required byte[] Root { get; init; }

    /// <summary>The signed note with the log's signature and the cosigner's signature.</summary>
    public required byte[] Checkpoint { get; init; }
}
