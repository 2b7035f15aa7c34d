using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Answers;
using Optiks.QueryService.Following;
using Optiks.QueryService.Telemetry;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Proving;

/// <summary>KeyAnswers makes and sends the answers about keys. Everything of one answer comes from one <see cref="ServedEpoch"/>. Any thread.</summary>
internal sealed class KeyAnswers
{
    private const int ExpectedLength = 12 * 1024;

    private readonly CurrentEpoch _current;
    private readonly ProofQueue _proofs;
    private readonly QueryMetrics _metrics;

    public KeyAnswers(CurrentEpoch current, ProofQueue proofs, QueryMetrics metrics)
    {
        _current = current;
        _proofs = proofs;
        _metrics = metrics;
    }

    /// <summary>SendAsync answers a request: a lookup whose VRF proofs are cached at once, others with proofs that are made together with those of other requests.</summary>
    public async Task SendAsync(KeyRequest request, HttpResponse response, CancellationToken cancellationToken)
    {
        while (true)
        {
            ServedEpoch? epoch = _current.Peek();
            try
            {
                bool mayBeCached = request.Kind == QueryKind.Lookup && request.UsesCache;
                if (!mayBeCached || !await TrySendCachedAsync(request, response, cancellationToken))
                {
                    await SendProvenAsync(request, response, cancellationToken);
                }
                break;
            }
            // Nothing was sent. Where a later epoch is served by now, the value may have been superseded before it was erased.
            catch (OptiksNativeException e) when (e.Status == NativeStatus.Erased)
            {
                if (ReferenceEquals(_current.Peek(), epoch))
                {
                    throw Erased(epoch);
                }
            }
        }
        _metrics.Answered(request.Kind.Name, request.Queries.Keys.Count);
    }

    private static ProblemException Erased(ServedEpoch? epoch) => epoch is { IsBehind: true }
        ? CurrentEpoch.Unavailable("This replica is behind, and values of its epoch were erased since.")
        : new ProblemException(new Problem(ProblemTypes.Erased, "The latest value of a key was erased: its user has left."));

    private static Task SendAsync(KeyRequest request, HttpResponse response, PooledWriter answer, CancellationToken cancellationToken)
    {
        Caching.NoStore(response);
        return answer.SendAsync(response, request.Type, request.Kind.WriteJson, cancellationToken);
    }

    // False, with nothing of the response touched, when a proof is not cached.
    private async ValueTask<bool> TrySendCachedAsync(KeyRequest request, HttpResponse response, CancellationToken cancellationToken)
    {
        QueryBatch queries = request.Queries;
        using var answer = new PooledWriter(request.Lease, ExpectedLength, AnswerLimits.Of(request.Kind, queries.Keys.Count));
        ServedEpoch epoch = _current.AcquireFresh();
        try
        {
            answer.Append(await HeadAsync(epoch, request.Position, cancellationToken));
            if (!epoch.View.TryWriteLookups(StructureId.Keys, queries.Keys, queries.Periods, queries.Versions, answer, queries.Latest))
            {
                return false;
            }
            queries.ThrowIfAhead(request.Kind, epoch.Period);
        }
        finally
        {
            epoch.Release();
        }
        await SendAsync(request, response, answer, cancellationToken);
        return true;
    }

    private async Task SendProvenAsync(KeyRequest request, HttpResponse response, CancellationToken cancellationToken)
    {
        using ProvenAnswer proven = await _proofs.AnswerAsync(request, cancellationToken);
        byte[] head;
        try
        {
            head = await HeadAsync(proven.Epoch, request.Position, cancellationToken);
        }
        finally
        {
            proven.ReleaseEpoch();
        }
        proven.Body.Prepend(head);
        await SendAsync(request, response, proven.Body, cancellationToken);
    }

    private async ValueTask<byte[]> HeadAsync(ServedEpoch epoch, ClientPosition position, CancellationToken cancellationToken)
    {
        position.ThrowIfAhead(epoch.Epoch);
        bool isRendered = epoch.Heads.TryGet(position.CheckpointSize, out byte[]? head);
        _metrics.Head(isRendered);
        return head ?? await epoch.Heads.RenderAsync(position.CheckpointSize, cancellationToken);
    }
}
