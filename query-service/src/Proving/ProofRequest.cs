using Optiks.Native;
using Optiks.QueryService.Answers;
using Optiks.QueryService.Following;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Proving;

/// <summary>
/// An HTTP request that waits for VRF proofs. A worker may read the request's queries until <see cref="Answer"/> has completed,
/// successfully or not.
/// </summary>
internal sealed class ProofRequest
{
    private const int ExpectedLength = 16 * 1024;

    // Continuations run on other threads, so that the workers only compute proofs.
    private readonly TaskCompletionSource<ProvenAnswer> _answer = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly AnswerRequest _asked;
    private readonly CancellationToken _cancellation;

    public ProofRequest(AnswerRequest asked, CancellationToken cancellation)
    {
        _asked = asked;
        Cost = asked.Cost;
        _cancellation = cancellation;
    }

    /// <summary>The cost of the request when it began to wait, expressed as a number of lookups of one key.</summary>
    public int Cost { get; }

    /// <summary>The number of the caller that sent the request.</summary>
    public int Caller => _asked.Terms.Lease.Caller;

    /// <summary>Whether proofs may be taken from the cache and added to it.</summary>
    public bool UsesCache => _asked.Terms.UsesCache;

    /// <summary>The state of the log that the request asks about.</summary>
    public AskedState State => _asked.Terms.State;

    /// <summary>The task that completes with the answer or with the error.</summary>
    public Task<ProvenAnswer> Answer => _answer.Task;

    /// <summary>Cancels the request if its client no longer waits, and returns whether it cancelled the request.</summary>
    public bool TryCancel() => _cancellation.IsCancellationRequested && _answer.TrySetCanceled(_cancellation);

    /// <summary>Completes the request with an error, unless it is complete.</summary>
    public void Fail(Exception reason) => _answer.TrySetException(reason);

    /// <summary>Adds to a batch the proofs that the answer will need.</summary>
    public void AddTo(ProofBatch proofs) => _asked.AddTo(proofs);

    /// <summary>Writes the answer with the proofs of a batch that was computed for this epoch. The caller must hold a reference to the
    /// epoch.</summary>
    public void Complete(ServedEpoch epoch, ProofBatch proofs)
    {
        PooledWriter? body = null;
        try
        {
            body = new PooledWriter(_asked.Terms.Lease, ExpectedLength, _asked.MaxLength);
            _asked.Write(epoch, proofs, body);
        }
        // Only this request fails, because the other requests of the batch may succeed.
        catch (Exception e) when (e is OptiksNativeException or ProblemException)
        {
            body?.Dispose();
            Fail(e);
            return;
        }
        // TryAcquire cannot fail here, because the caller holds another reference.
        epoch.TryAcquire();
        _answer.SetResult(new ProvenAnswer(epoch, body));
    }
}
