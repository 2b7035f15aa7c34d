using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Answers;
using Optiks.QueryService.Following;
using Optiks.QueryService.Telemetry;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Proving;

/// <summary>
/// Answers requests whose VRF proofs are not all cached. Requests wait in a bounded queue. A worker takes all waiting requests, up to a
/// limit, and computes their proofs in one batch, which is cheaper than computing them one after another. A free worker never waits until a
/// batch is full; batches grow while all workers are busy. The workers have their own threads, one per processor, so that the service can
/// send cached answers in the meantime.
/// </summary>
/// <remarks>Thread-safe. Invariant: the queue completes every accepted request, even when the process ends.</remarks>
internal sealed class ProofQueue : IDisposable
{
    /// <summary>
    /// The largest total cost of the waiting requests, expressed as a number of lookups of one key. Two processors prove about this many in
    /// half a second. If more were waiting, it would be better for a client to retry later than to wait.
    /// </summary>
    internal const int MaxWaiting = 8192;

    // The largest cost of a batch. It is enough to fill all lanes of the proving kernels many times, and a larger batch would only make its
    // first requests wait.
    private const int MaxTaken = 128;

    private static readonly TimeSpan s_retryAfter = TimeSpan.FromSeconds(1);

    private readonly CurrentEpoch _current;
    private readonly QueryMetrics _metrics;
    private readonly Thread[] _workers;

    // The lock of _waiting also guards this field.
    private readonly Queue<ProofRequest> _waiting = new();

    // Counts the cost of each caller's waiting requests, so that a caller with many requests leaves room for other callers.
    private readonly CallerShares _places = new(MaxWaiting);
    private bool _isStopping;

    public ProofQueue(CurrentEpoch current, QueryMetrics metrics)
        : this(current, metrics, Environment.ProcessorCount)
    {
    }

    /// <summary>
    /// Creates a queue with the given number of workers. If it is 0, only <see cref="Dispose"/> answers requests, so that a test can fill
    /// the queue.
    /// </summary>
    internal ProofQueue(CurrentEpoch current, QueryMetrics metrics, int workers)
    {
        _current = current;
        _metrics = metrics;
        metrics.WaitingQueries = () => (int)_places.Used;
        _workers = new Thread[workers];
        for (int i = 0; i < workers; i++)
        {
            _workers[i] = new Thread(Work) { IsBackground = true, Name = $"proofs {i}" };
            _workers[i].Start();
        }
    }

    /// <summary>
    /// Returns the answer to a request. Until the call ends, the queue uses the request's queries. Throws <see cref="ProblemException"/>
    /// with the type overloaded if the queue is full, and with the type unavailable if there is no fresh epoch. Callers cancel the call
    /// when the client no longer waits for the answer.
    /// </summary>
    public Task<ProvenAnswer> AnswerAsync(AnswerRequest asked, CancellationToken cancellationToken)
    {
        var request = new ProofRequest(asked, cancellationToken);
        lock (_waiting)
        {
            ObjectDisposedException.ThrowIf(_isStopping, this);
            // A request may exceed the limit if its caller has no other waiting request; otherwise a very expensive request could never be
            // answered.
            if (_places.TryTakeAlone(request.Caller, 0, request.Cost) || _places.TryTake(request.Caller, request.Cost))
            {
                _waiting.Enqueue(request);
                Monitor.Pulse(_waiting);
                return request.Answer;
            }
        }
        _metrics.ProofRefused();
        throw new ProblemException(new Problem(ProblemTypes.Overloaded, "Too many answers are waiting for proofs.", null, s_retryAfter));
    }

    /// <summary>Ends the workers after they have answered all waiting requests.</summary>
    public void Dispose()
    {
        lock (_waiting)
        {
            _isStopping = true;
            Monitor.PulseAll(_waiting);
        }
        Array.ForEach(_workers, worker => worker.Join());
        // If the queue has no workers, this call answers the waiting requests.
        Work();
    }

    private void Work()
    {
        var taken = new List<ProofRequest>();
        while (Take(taken))
        {
            Answer(taken);
            taken.Clear();
        }
    }

    /// <summary>Waits until there are requests, and takes the oldest ones. Returns false when the queue ends.</summary>
    private bool Take(List<ProofRequest> taken)
    {
        int queries = 0;
        lock (_waiting)
        {
            while (_waiting.Count == 0 && !_isStopping)
            {
                Monitor.Wait(_waiting);
            }
            while (_waiting.TryPeek(out ProofRequest? next) && (queries == 0 || queries + next.Cost <= MaxTaken))
            {
                taken.Add(_waiting.Dequeue());
                _places.Return(next.Caller, next.Cost);
                queries += next.Cost;
            }
        }
        return taken.Count > 0;
    }

    private static void Answer(ServedEpoch epoch, List<ProofRequest> requests)
    {
        using ProofBatch proofs = epoch.View.CreateProofs(StructureId.Keys, requests[0].UsesCache);
        requests.ForEach(request => request.AddTo(proofs));
        proofs.Run();
        requests.ForEach(request => request.Complete(epoch, proofs));
    }

    private void Answer(List<ProofRequest> requests)
    {
        requests.RemoveAll(request => request.TryCancel());
        // One batch can only have proofs from the same trees, so requests about different states get different batches.
        foreach (IGrouping<(bool, AskedState), ProofRequest> together in requests.GroupBy(request => (request.UsesCache, request.State)))
        {
            AnswerTogether([.. together]);
        }
    }

    private void AnswerTogether(List<ProofRequest> requests)
    {
        try
        {
            ServedEpoch epoch = _current.AcquireFresh(default, requests[0].State);
            try
            {
                Answer(epoch, requests);
            }
            finally
            {
                epoch.Release();
            }
        }
        // One request of the batch caused an error before any of them was answered. So the code answers each request by itself, and the
        // others succeed.
        catch (OptiksNativeException) when (requests.Count > 1)
        {
            requests.ForEach(request => AnswerTogether([request]));
        }
        // Every waiting request gets the error, no matter which error it is, and reports the error.
        catch (Exception e)
        {
            requests.ForEach(request => request.Fail(e));
        }
    }
}
