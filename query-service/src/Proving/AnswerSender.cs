using Optiks.Native;
using Optiks.QueryService.Answers;
using Optiks.QueryService.Following;
using Optiks.QueryService.Telemetry;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Proving;

/// <summary>
/// Makes and sends answers with VRF proofs, about keys and about users. Each answer comes from a single <see cref="ServedEpoch"/>.
/// Thread-safe.
/// </summary>
internal sealed class AnswerSender
{
    private const int ExpectedLength = 12 * 1024;

    private readonly CurrentEpoch _current;
    private readonly ProofQueue _proofs;
    private readonly DamagedFiles _damage;
    private readonly QueryMetrics _metrics;

    public AnswerSender(CurrentEpoch current, ProofQueue proofs, DamagedFiles damage, QueryMetrics metrics)
    {
        _current = current;
        _proofs = proofs;
        _damage = damage;
        _metrics = metrics;
    }

    /// <summary>
    /// Answers a request. If all of a lookup's VRF proofs are cached, answers at once; otherwise the proofs of several requests are
    /// computed together.
    /// </summary>
    public async Task SendAsync(AnswerRequest request, HttpResponse response, CancellationToken cancellationToken)
    {
        while (true)
        {
            long generation = _damage.Generation;
            ServedEpoch? epoch = _current.Peek();
            try
            {
                if (!request.IsTriedAtOnce || !await TrySendAtOnceAsync(request, response, cancellationToken))
                {
                    await SendProvenAsync(request, response, cancellationToken);
                }
                break;
            }
            // A value is erased, and nothing was sent yet. If a later epoch is served by now, this loop repeats the request at that epoch,
            // because a later value may have superseded the erased one.
            catch (OptiksNativeException e) when (e.Status == NativeStatus.Erased)
            {
                if (ReferenceEquals(_current.Peek(), epoch))
                {
                    throw Erased(epoch, request.State);
                }
            }
            catch (OptiksNativeException e) when (DamagedFiles.IsDamage(e))
            {
                throw _damage.Refuse(generation, request.State.EndedPeriod ?? epoch?.Period ?? 0, e);
            }
        }
        _metrics.Answered(request.Name, request.Count);
    }

    private static ProblemException Erased(ServedEpoch? epoch, AskedState asked) =>
        asked.AtEpoch is ulong recent && recent != epoch?.Epoch ? new ProblemException(new Problem(ProblemTypes.Erased, $"A value that was the latest of its key at epoch {recent} has since been erased: ask about the newest epoch."))
        : epoch is { IsBehind: true }
        ? CurrentEpoch.Unavailable("This replica is behind, and values of its epoch have since been erased.")
        : new ProblemException(new Problem(ProblemTypes.Erased, "The latest value of a key was erased: its user has left, or a later state has another value."));

    private static Task SendAsync(AnswerRequest request, HttpResponse response, PooledWriter answer, CancellationToken cancellationToken)
    {
        Caching.NoStore(response);
        return answer.SendAsync(response, request.Type, request.WriteJson, cancellationToken);
    }

    // Answers with cached proofs only. If a proof is not cached, leaves the response untouched and returns false.
    private async ValueTask<bool> TrySendAtOnceAsync(AnswerRequest request, HttpResponse response, CancellationToken cancellationToken)
    {
        using var answer = new PooledWriter(request.Lease, ExpectedLength, request.MaxLength);
        ServedEpoch epoch = _current.AcquireFresh(request.Position, request.State);
        try
        {
            answer.Append(await HeadAsync(epoch, request.Position, cancellationToken));
            if (!request.TryWriteAtOnce(epoch, answer))
            {
                return false;
            }
        }
        finally
        {
            epoch.Release();
        }
        await SendAsync(request, response, answer, cancellationToken);
        return true;
    }

    private async Task SendProvenAsync(AnswerRequest request, HttpResponse response, CancellationToken cancellationToken)
    {
        if (request.State != default)
        {
            // This check comes before the request waits in the queue, because the workers do not know the client's position. If this
            // replica lacks the requested state, the type of the problem depends on that position.
            _current.AcquireFresh(request.Position, request.State).Release();
        }
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
