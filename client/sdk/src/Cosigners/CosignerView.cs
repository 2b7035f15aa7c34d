using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>A head, with the checkpoints of the same log that cosigners signed.</summary>
internal sealed record CosignerView(HeadState Head, ImmutableDictionary<string, CosignerState> Cosigners)
{
    /// <summary>The files of evidence that two heads of the log contradict each other; null if there is no fork.</summary>
    public IReadOnlyDictionary<string, ReadOnlyMemory<byte>>? Fork { get; init; }
}
