using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Answers;
using Optiks.QueryService.Following;
using Optiks.QueryService.Telemetry;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Proving;

/// <summary>
/// Answers what needs VRF proofs that are not cached. Requests wait in a bounded queue; a worker takes whatever waits and makes all of its proofs in one batch, which is
/// cheaper than one after another. Nothing waits for a batch to fill: one forms while the workers are busy. The workers have threads of their own, one a processor, so that
/// what is cached is answered meanwhile.
/// </summary>
/// <remarks>Thread safety: any thread. Invariant: a request that was taken in is completed, also when the process ends.</remarks>
internal sealed class ProofQueue : IDisposable
{
    /// <summary>MaxWaiting queries, or what costs as much: about as many as two processors prove in half a second. Beyond, a client does better to come again than to wait.</summary>
    internal const int MaxWaiting = 8192;

    // Of one batch, which is one that fills all lanes of the proving kernels many times; more would only make the first of them wait.
    private const int MaxTaken = 128;

    private static readonly TimeSpan s_retryAfter = TimeSpan.FromSeconds(1);

    private readonly CurrentEpoch _current;
    private readonly QueryMetrics _metrics;
    private readonly Thread[] _workers;

    // Guarded by _waiting.
    private readonly Queue<ProofRequest> _waiting = new();

    // Queries that wait: a caller whose are many leaves room for the others'.
    private readonly CallerShares _places = new(MaxWaiting);
    private bool _isStopping;

    public ProofQueue(CurrentEpoch current, QueryMetrics metrics)
        : this(current, metrics, Environment.ProcessorCount)
    {
    }

    /// <summary>ProofQueue with so many workers; with none, nothing is answered until <see cref="Dispose"/>, which lets a test fill the queue.</summary>
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
    /// Gives the answer to a request, whose queries stay with the queue until then. Throws <see cref="ProblemException"/>: overloaded when the queue is full, unavailable when there is no fresh
    /// epoch. Cancelled, nobody waits for the answer any more.
    /// </summary>
    public Task<ProvenAnswer> AnswerAsync(AnswerRequest asked, CancellationToken cancellationToken)
    {
        var request = new ProofRequest(asked, cancellationToken);
        lock (_waiting)
        {
            ObjectDisposedException.ThrowIf(_isStopping, this);
            // However many proofs one answer has, it can be made.
            if (_places.TryTakeAlone(request.Caller, 0, request.Cost) || _places.TryTake(request.Caller, request.Cost))
            {
                _waiting.Enqueue(request);
                Monitor.Pulse(_waiting);
                return request.Answer;
            }
        }
        _metrics.ProofRefused();
        throw new ProblemException(new Problem(ProblemTypes.Overloaded, "Too many answers wait for proofs.", null, s_retryAfter));
    }

    /// <summary>Answers what waits, and ends the workers.</summary>
    public void Dispose()
    {
        lock (_waiting)
        {
            _isStopping = true;
            Monitor.PulseAll(_waiting);
        }
        Array.ForEach(_workers, worker => worker.Join());
        // Without workers.
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

    /// <summary>Waits for requests and takes the oldest of them. False at the end.</summary>
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
                _places.GiveBack(next.Caller, next.Cost);
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
        // Proofs of one batch are of the same trees.
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
        // One request met damage before any was answered: the others of its batch do without it.
        catch (OptiksNativeException) when (requests.Count > 1)
        {
            requests.ForEach(request => AnswerTogether([request]));
        }
        // Whatever it is, those who wait are told, and their requests report it.
        catch (Exception e)
        {
            requests.ForEach(request => request.Fail(e));
        }
    }
}
