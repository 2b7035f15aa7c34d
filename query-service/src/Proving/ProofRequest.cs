using Optiks.Native;
using Optiks.QueryService.Answers;
using Optiks.QueryService.Following;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Proving;

/// <summary>ProofRequest is one HTTP request that waits for VRF proofs. Its queries are read by the worker until <see cref="Answer"/> has completed, however it does.</summary>
internal sealed class ProofRequest
{
    private const int ExpectedLength = 16 * 1024;

    // Continuations run elsewhere: a worker only proves.
    private readonly TaskCompletionSource<ProvenAnswer> _answer = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly AnswerRequest _asked;
    private readonly CancellationToken _cancellation;

    public ProofRequest(AnswerRequest asked, CancellationToken cancellation)
    {
        _asked = asked;
        Cost = asked.Cost;
        _cancellation = cancellation;
    }

    /// <summary>Cost in lookups of a key, as of when it began to wait.</summary>
    public int Cost { get; }

    /// <summary>Caller who is asking.</summary>
    public int Caller => _asked.Lease.Caller;

    /// <summary>Says whether cached proofs are taken, and made ones cached.</summary>
    public bool UsesCache => _asked.UsesCache;

    /// <summary>State of the log that is asked about.</summary>
    public AskedState State => _asked.State;

    /// <summary>Answer, or why there is none.</summary>
    public Task<ProvenAnswer> Answer => _answer.Task;

    /// <summary>Completes a request that nobody waits for any more.</summary>
    public bool TryCancel() => _cancellation.IsCancellationRequested && _answer.TrySetCanceled(_cancellation);

    /// <summary>Completes the request, unless it is complete.</summary>
    public void Fail(Exception reason) => _answer.TrySetException(reason);

    /// <summary>Adds to a batch what the answer will need.</summary>
    public void AddTo(ProofBatch proofs) => _asked.AddTo(proofs);

    /// <summary>Writes the answer with the proofs of a batch of this epoch, to which the caller holds a reference.</summary>
    public void Complete(ServedEpoch epoch, ProofBatch proofs)
    {
        PooledWriter? body = null;
        try
        {
            body = new PooledWriter(_asked.Lease, ExpectedLength, _asked.MaxLength);
            _asked.Write(epoch, proofs, body);
        }
        // The request's own: others of the batch may do well.
        catch (Exception e) when (e is OptiksNativeException or ProblemException)
        {
            body?.Dispose();
            Fail(e);
            return;
        }
        // Cannot be refused while another reference is held.
        epoch.TryAcquire();
        _answer.SetResult(new ProvenAnswer(epoch, body));
    }
}
