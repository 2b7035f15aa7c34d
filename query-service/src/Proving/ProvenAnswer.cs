using Optiks.QueryService.Answers;
using Optiks.QueryService.Following;

namespace Optiks.QueryService.Proving;

/// <summary>
/// Holds the part of an answer after its head, which is a vector of Lookups or Versions, and the epoch that the answer is about. The
/// receiver must dispose of it.
/// </summary>
internal sealed class ProvenAnswer : IDisposable
{
    private bool _hasEpoch = true;

    /// <summary>Takes ownership of the body and of a reference to the epoch.</summary>
    public ProvenAnswer(ServedEpoch epoch, PooledWriter body)
    {
        Epoch = epoch;
        Body = body;
    }

    public ServedEpoch Epoch { get; }

    public PooledWriter Body { get; }

    /// <summary>
    /// Releases the reference to the epoch. Callers do so before they send the answer, so that a client that reads slowly does not keep an
    /// old epoch's trees in memory.
    /// </summary>
    public void ReleaseEpoch()
    {
        if (_hasEpoch)
        {
            _hasEpoch = false;
            Epoch.Release();
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        ReleaseEpoch();
        Body.Dispose();
    }
}
