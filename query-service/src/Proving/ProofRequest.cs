using System.Buffers.Binary;
using Optiks.Native;
using Optiks.QueryService.Answers;
using Optiks.QueryService.Following;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Proving;

/// <summary>ProofRequest is one HTTP request that waits for VRF proofs. Its queries are read by the worker until <see cref="Answer"/> has completed, however it does.</summary>
internal sealed class ProofRequest
{
    private const uint MaxMembers = 256;
    private const int ExpectedLength = 16 * 1024;

    // Continuations run elsewhere: a worker only proves.
    private readonly TaskCompletionSource<ProvenAnswer> _answer = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly KeyRequest _asked;
    private readonly CancellationToken _cancellation;

    public ProofRequest(KeyRequest asked, CancellationToken cancellation)
    {
        _asked = asked;
        _cancellation = cancellation;
    }

    /// <summary>Count of queries.</summary>
    public int Count => Queries.Keys.Count;

    /// <summary>UsesCache says whether cached proofs are taken, and made ones cached.</summary>
    public bool UsesCache => _asked.UsesCache;

    /// <summary>Answer, or why there is none.</summary>
    public Task<ProvenAnswer> Answer => _answer.Task;

    private QueryBatch Queries => _asked.Queries;

    /// <summary>TryCancel completes a request that nobody waits for any more.</summary>
    public bool TryCancel() => _cancellation.IsCancellationRequested && _answer.TrySetCanceled(_cancellation);

    /// <summary>Fail completes the request, unless it is complete.</summary>
    public void Fail(Exception reason) => _answer.TrySetException(reason);

    /// <summary>AddTo adds to a batch what the answer will need.</summary>
    public void AddTo(ProofBatch proofs)
    {
        if (_asked.Kind == QueryKind.Lookup)
        {
            proofs.AddLookups(Queries.Keys, Queries.Periods, Queries.Versions);
            return;
        }
        for (int i = 0; i < Count; i++)
        {
            proofs.AddVersions(Queries.Keys[i], Queries.Versions[i], MaxMembers);
        }
    }

    /// <summary>Complete writes the answer with the proofs of a batch of this epoch, to which the caller holds a reference.</summary>
    public void Complete(ServedEpoch epoch, ProofBatch proofs)
    {
        PooledWriter? body = null;
        try
        {
            body = new PooledWriter(_asked.Lease, ExpectedLength, AnswerLimits.Of(_asked.Kind, Count));
            if (_asked.Kind == QueryKind.Lookup)
            {
                proofs.WriteLookups(Queries.Keys, Queries.Periods, Queries.Versions, body, Queries.Latest);
            }
            else
            {
                WriteVersions(proofs, body);
            }
            Queries.ThrowIfAhead(_asked.Kind, epoch.Period);
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

    /// <summary>WriteVersions shares the answer's page among the keys; each has at least one member, so that every page gets somewhere.</summary>
    private void WriteVersions(ProofBatch proofs, PooledWriter body)
    {
        body.Append(stackalloc byte[sizeof(uint)]);
        for (int i = 0; i < Count; i++)
        {
            int left = Math.Max(0, AnswerLimits.PageLength - (body.Length - sizeof(uint)));
            int start = body.Length;
            proofs.WriteVersions(Queries.Keys[i], Queries.Versions[i], MaxMembers, left / (Count - i), body);
            Queries.Latest[i] = BinaryPrimitives.ReadUInt64BigEndian(body.Written.Span[start..]);
        }
        BinaryPrimitives.WriteUInt32BigEndian(body.Written.Span, (uint)(body.Length - sizeof(uint)));
    }
}
