using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>A head, and what cosigners signed of that head's log.</summary>
internal sealed record CosignerView(HeadState Head, ImmutableDictionary<string, CosignerState> Cosigners)
{
    /// <summary>Files of the evidence that a head contradicts another one; null if there is no fork.</summary>
    public IReadOnlyDictionary<string, ReadOnlyMemory<byte>>? Fork { get; init; }
}
