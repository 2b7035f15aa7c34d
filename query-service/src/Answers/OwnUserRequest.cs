using System.Text.Json;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Following;

namespace Optiks.QueryService.Answers;

/// <summary>
/// One request about the caller's own user, while it is being answered. As with a lookup of users, the cost depends on the log, and the
/// caller pays the cost before a proof is computed.
/// </summary>
/// <param name="Query">The query.</param>
/// <param name="Spend">Called once with the answer's cost in keys, which is taken from the caller's rate.</param>
/// <param name="Position">How far the client has seen the log.</param>
/// <param name="Type">Media type of the answer.</param>
/// <param name="UsesCache">
/// Whether the cache of VRF proofs is used. If false, all proofs are computed, and none is added to the cache.
/// </param>
/// <param name="Lease">Counts the memory of the answer, which is disposed of before the lease.</param>
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

    // As for a lookup of one user, the length depends on the entries of the device list. A page has at least one version of each entry.
    public override int MaxLength => int.MaxValue;

    public override Action<Utf8JsonWriter, ReadOnlyMemory<byte>> WriteJson => AnswerJson.WriteUserMonitorAnswer;

    public override bool IsTriedAtOnce => true;

    private UserMonitorPage Page => new(MaxMembers, MaxAllMembers, MaxFollowed, AnswerLimits.PageLength, Query.OwnOnly);

    /// <summary>Only determines what the answer will be, and always returns false: proofs of old versions are hardly ever cached.</summary>
    public override bool TryWriteAtOnce(ServedEpoch epoch, PooledWriter answer)
    {
        UserMonitorSummary summary = epoch.View.SummarizeUserMonitor(Query.Octets, Page);
        // The request may be tried again at another epoch; the caller pays once.
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
