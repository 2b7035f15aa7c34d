using System.Text.Json;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Following;

namespace Optiks.QueryService.Answers;

/// <summary>
/// A request about the caller's own user that is being answered. As in a lookup of users, the answer's cost depends on the log's contents,
/// and the service charges the cost to the caller's rate before it computes a proof.
/// </summary>
/// <param name="Query">The query.</param>
/// <param name="Spend">The action that charges the answer's cost, counted in keys, to the caller's rate. It is called only once.</param>
/// <param name="Position">The part of the log that the client has seen.</param>
/// <param name="Type">The media type of the answer.</param>
/// <param name="UsesCache">
/// Whether the answer uses the cache of VRF proofs. If false, the service computes all proofs and adds none of them to the cache.
/// </param>
/// <param name="Lease">The lease that counts the answer's memory. The answer must be disposed of before the lease.</param>
internal sealed record OwnUserRequest(OwnUserQuery Query, Action<int> Spend, ClientPosition Position, string Type, bool UsesCache, AnswerLease Lease)
    : AnswerRequest(Position, Type, UsesCache, Lease)
{
    private const int MaxMembers = 256;
    private const int MaxAllMembers = 2048;
    private const int MaxFollowed = 1024;

    private int _cost = 1;
    private bool _isPaid;

    public override string Name => "user-monitor";

    public override int Count => 1;

    public override int Cost => _cost;

    // The length has no bound here. As in a lookup of one user, it depends on the length of the device list, because a page has at least
    // one version of each of the list's entries.
    public override int MaxLength => int.MaxValue;

    public override Action<Utf8JsonWriter, ReadOnlyMemory<byte>> WriteJson => AnswerJson.WriteUserMonitorAnswer;

    public override bool IsTriedAtOnce => true;

    private UserMonitorPage Page => new(MaxMembers, MaxAllMembers, MaxFollowed, AnswerLimits.PageLength, Query.OwnOnly);

    /// <summary>This method only determines the answer's contents and cost. It always returns false, because proofs of old versions are
    /// hardly ever cached.</summary>
    public override bool TryWriteAtOnce(ServedEpoch epoch, PooledWriter answer)
    {
        UserMonitorSummary summary = epoch.View.SummarizeUserMonitor(Query.Octets, Page);
        // The service may try the request again at another epoch, but charges the caller only once.
        if (!_isPaid)
        {
            _isPaid = true;
            Spend(summary.Entries);
        }
        ThrowUnlessAnswered(summary);
        _cost = Math.Max(1, summary.Proofs / AnswerLimits.ProofsOfLookup);
        return false;
    }

    public override void AddTo(ProofBatch proofs) => proofs.AddUserMonitor(Query.Octets, Page);

    public override void Write(ServedEpoch epoch, ProofBatch proofs, PooledWriter answer)
    {
        proofs.WriteUserMonitor(Query.Octets, Page, answer, out UserMonitorSummary summary);
        ThrowUnlessAnswered(summary);
    }

    private void ThrowUnlessAnswered(UserMonitorSummary summary)
    {
        if (summary.Unanswered != OwnUserUnanswered.None)
        {
            throw Query.Unanswered(summary);
        }
    }
}
