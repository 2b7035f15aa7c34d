using System.Text.Json;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Following;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>
/// A request about the caller's own user that is being answered. As in a lookup of users, the answer's cost depends on the log's contents,
/// and the service charges the cost to the caller's rate before it computes a proof.
/// </summary>
/// <param name="Query">The query.</param>
/// <param name="Terms">The terms of the answer.</param>
internal sealed record OwnUserRequest(OwnUserQuery Query, AnswerTerms Terms) : AnswerRequest(Terms)
{
    private const int MaxMembers = 256;
    private const int MaxAllMembers = 2048;
    private const int MaxFollowed = 1024;

    private int _cost = 1;

    public override string Name => "user-monitor";

    public override int Count => 1;

    public override int Cost => _cost;

    // This class sets no bound for the answer's length. As in a lookup of one user, the length depends on the length of the device list,
    // because a page has at least one version of each of the list's entries.
    public override int MaxLength => int.MaxValue;

    public override Action<Utf8JsonWriter, ReadOnlyMemory<byte>> WriteJson => AnswerJson.WriteUserMonitorAnswer;

    private UserMonitorPage Page => new(MaxMembers, MaxAllMembers, MaxFollowed, AnswerLimits.PageLength, Query.OwnOnly);

    /// <summary>Determines only the answer's contents and cost. It writes no answer, because proofs of old versions are hardly ever
    /// cached.</summary>
    public override FirstTry TryWriteAtOnce(ServedEpoch epoch, PooledWriter answer)
    {
        UserMonitorSummary summary = epoch.View.SummarizeUserMonitor(Query.Octets, Page);
        _cost = Math.Max(1, summary.Proofs / AnswerLimits.ProofsOfLookup);
        return new FirstTry(false, summary.Entries, FindRefusal(summary));
    }

    public override void AddTo(ProofBatch proofs) => proofs.AddUserMonitor(Query.Octets, Page);

    public override void Write(ServedEpoch epoch, ProofBatch proofs, PooledWriter answer)
    {
        proofs.WriteUserMonitor(Query.Octets, Page, answer, out UserMonitorSummary summary);
        if (FindRefusal(summary) is { } refusal)
        {
            throw refusal;
        }
    }

    private ProblemException? FindRefusal(UserMonitorSummary summary) =>
        summary.Unanswered == OwnUserUnanswered.None ? null : Query.Unanswered(summary);
}
