using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>CosignerView is a head, and what cosigners signed of the log that it is a head of. A fork is a head that was found to contradict another one; null: none.</summary>
internal sealed record CosignerView(HeadState Head, ImmutableDictionary<string, CosignerState> Cosigners)
{
    /// <summary>Fork: files of the evidence.</summary>
    public IReadOnlyDictionary<string, ReadOnlyMemory<byte>>? Fork { get; init; }
}
