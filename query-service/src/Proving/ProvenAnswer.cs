using Optiks.QueryService.Answers;
using Optiks.QueryService.Following;

namespace Optiks.QueryService.Proving;

/// <summary>ProvenAnswer is an answer without its head: the vector of Lookups or Versions, and the epoch that it is about. Whoever gets it disposes it.</summary>
internal sealed class ProvenAnswer : IDisposable
{
    /// <summary>ProvenAnswer takes over the body, and a reference to the epoch.</summary>
    public ProvenAnswer(ServedEpoch epoch, PooledWriter body)
    {
        Epoch = epoch;
        Body = body;
    }

    public ServedEpoch Epoch { get; }

    public PooledWriter Body { get; }

    /// <inheritdoc/>
    public void Dispose()
    {
        Epoch.Release();
        Body.Dispose();
    }
}
