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
    private readonly RateLimiter _limiter;
    private readonly DamagedFiles _damage;
    private readonly QueryMetrics _metrics;

    public AnswerSender(CurrentEpoch current, ProofQueue proofs, RateLimiter limiter, DamagedFiles damage, QueryMetrics metrics)
    {
        _current = current;
        _proofs = proofs;
        _limiter = limiter;
        _damage = damage;
        _metrics = metrics;
    }

    /// <summary>
    /// Answers a request. If all of a lookup's VRF proofs are cached, answers at once. Otherwise the request waits in the queue, whose
    /// workers compute the proofs of several requests together.
    /// </summary>
    public async Task SendAsync(AnswerRequest request, HttpContext context, CancellationToken cancellationToken)
    {
        // The admission of the request charged the caller's rate for one item. The first try finds out how many items the answer shows, and
        // the service may try a request again at another epoch, so only the difference is charged each time.
        int charged = 1;
        Charge(request.Count);
        while (true)
        {
            long generation = _damage.Generation;
            ServedEpoch? epoch = _current.Peek();
            try
            {
                if (!await TrySendAtOnceAsync(request, Charge, context.Response, cancellationToken))
                {
                    await SendProvenAsync(request, context.Response, cancellationToken);
                }
                break;
            }
            // A value that the answer needs is erased, and nothing was sent yet. If a later epoch is served by now, this loop repeats the
            // request at that epoch, because a later value may have superseded the erased one.
            catch (OptiksNativeException e) when (e.Status == NativeStatus.Erased)
            {
                if (ReferenceEquals(_current.Peek(), epoch))
                {
                    throw Erased(epoch, request.Terms.State);
                }
            }
            catch (OptiksNativeException e) when (DamagedFiles.IsDamage(e))
            {
                throw _damage.Refuse(generation, request.Terms.State.EndedPeriod ?? epoch?.Period ?? 0, e);
            }
        }
        _metrics.Answered(request.Name, request.Count);

        void Charge(int items)
        {
            if (items > charged)
            {
                _limiter.Spend(context, RateLimitKind.Lookups, items - charged + 1);
                charged = items;
            }
        }
    }

    private static ProblemException Erased(ServedEpoch? epoch, AskedState asked) =>
        asked.AtEpoch is ulong recent && recent != epoch?.Epoch
            ? new ProblemException(
                new Problem(ProblemTypes.Erased,
                    $"A value that was the latest of its key at epoch {recent} has since been erased: ask about the newest epoch."))
        : epoch is { IsBehind: true }
        ? CurrentEpoch.Unavailable("This replica is behind, and values of its epoch have since been erased.")
        : new ProblemException(
            new Problem(ProblemTypes.Erased,
                "The latest value of a key was erased: its user has left, or a later state has another value."));

    private static Task SendAsync(AnswerRequest request, HttpResponse response, PooledWriter answer, CancellationToken cancellationToken)
    {
        Caching.NoStore(response);
        return answer.SendAsync(response, request.Terms.Type, request.WriteJson, cancellationToken);
    }

    // Answers with cached proofs only. If the answer needs other proofs, leaves the response untouched and returns false.
    private async ValueTask<bool> TrySendAtOnceAsync(
        AnswerRequest request, Action<int> charge, HttpResponse response, CancellationToken cancellationToken)
    {
        (ClientPosition position, AskedState state) = (request.Terms.Position, request.Terms.State);
        using var answer = new PooledWriter(request.Terms.Lease, ExpectedLength, request.MaxLength);
        ServedEpoch epoch = _current.AcquireFresh(position, state);
        try
        {
            answer.Append(await HeadAsync(epoch, position, cancellationToken));
            FirstTry found = request.TryWriteAtOnce(epoch, answer);
            charge(found.Items);
            if (found.Refusal is { } refusal)
            {
                throw refusal;
            }
            if (!found.IsWritten)
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
        using ProvenAnswer proven = await _proofs.AnswerAsync(request, cancellationToken);
        byte[] head;
        try
        {
            head = await HeadAsync(proven.Epoch, request.Terms.Position, cancellationToken);
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
