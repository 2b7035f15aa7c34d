using System.Text.Json;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Following;

namespace Optiks.QueryService.Answers;

/// <summary>OwnUserRequest is one request about the caller's own user while it is answered. As of a lookup of users, its cost is in the log, and is paid before a proof is made.</summary>
/// <param name="Query">What is asked.</param>
/// <param name="Spend">Called once with how many keys' worth the answer is, of the caller's rate.</param>
/// <param name="Position">How far the client has seen the log.</param>
/// <param name="Type">Media type of the answer.</param>
/// <param name="UsesCache">False: all VRF proofs are made, whatever is cached, and none is cached.</param>
/// <param name="Lease">Counts the memory of the answer, which is disposed before it.</param>
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

    // As of a lookup of one user: it is as long as what the list names, of which a page has one version each at least.
    public override int MaxLength => int.MaxValue;

    public override Action<Utf8JsonWriter, ReadOnlyMemory<byte>> WriteJson => AnswerJson.WriteUserMonitorAnswer;

    public override bool IsTriedAtOnce => true;

    private UserMonitorPage Page => new(MaxMembers, MaxAllMembers, MaxFollowed, AnswerLimits.PageLength, Query.OwnOnly);

    /// <summary>TryWriteAtOnce only finds what the answer will be: proofs of old versions are hardly ever cached.</summary>
    public override bool TryWriteAtOnce(ServedEpoch epoch, PooledWriter answer)
    {
        UserMonitorSummary summary = epoch.View.SummarizeUserMonitor(Query.Octets, Page);
        // Of another epoch it may be tried again.
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
