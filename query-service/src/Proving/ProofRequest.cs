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
    private readonly QueryKind _kind;
    private readonly QueryBatch _queries;
    private readonly AnswerLease _lease;
    private readonly CancellationToken _cancellation;

    public ProofRequest(QueryKind kind, QueryBatch queries, AnswerLease lease, bool usesCache, CancellationToken cancellation)
    {
        _kind = kind;
        _queries = queries;
        _lease = lease;
        UsesCache = usesCache;
        _cancellation = cancellation;
    }

    /// <summary>Count of queries.</summary>
    public int Count => _queries.Keys.Count;

    /// <summary>UsesCache says whether cached proofs are taken, and made ones cached.</summary>
    public bool UsesCache { get; }

    /// <summary>Answer, or why there is none.</summary>
    public Task<ProvenAnswer> Answer => _answer.Task;

    /// <summary>TryCancel completes a request that nobody waits for any more.</summary>
    public bool TryCancel() => _cancellation.IsCancellationRequested && _answer.TrySetCanceled(_cancellation);

    /// <summary>Fail completes the request, unless it is complete.</summary>
    public void Fail(Exception reason) => _answer.TrySetException(reason);

    /// <summary>AddTo adds to a batch what the answer will need.</summary>
    public void AddTo(ProofBatch proofs)
    {
        if (_kind == QueryKind.Lookup)
        {
            proofs.AddLookups(_queries.Keys, _queries.Periods, _queries.Versions);
            return;
        }
        for (int i = 0; i < Count; i++)
        {
            proofs.AddVersions(_queries.Keys[i], _queries.Versions[i], MaxMembers);
        }
    }

    /// <summary>Complete writes the answer with the proofs of a batch of this epoch, to which the caller holds a reference.</summary>
    public void Complete(ServedEpoch epoch, ProofBatch proofs)
    {
        PooledWriter? body = null;
        try
        {
            body = new PooledWriter(_lease, ExpectedLength, AnswerLimits.Of(_kind, Count));
            if (_kind == QueryKind.Lookup)
            {
                proofs.WriteLookups(_queries.Keys, _queries.Periods, _queries.Versions, body, _queries.Latest);
            }
            else
            {
                WriteVersions(proofs, body);
            }
            _queries.ThrowIfAhead(_kind, epoch.Period);
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
            proofs.WriteVersions(_queries.Keys[i], _queries.Versions[i], MaxMembers, left / (Count - i), body);
            _queries.Latest[i] = BinaryPrimitives.ReadUInt64BigEndian(body.Written.Span[start..]);
        }
        BinaryPrimitives.WriteUInt32BigEndian(body.Written.Span, (uint)(body.Length - sizeof(uint)));
    }
}
