using System.Text.Json;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Following;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>
/// A request about users that is being answered. The request does not show its answer's cost, because a user may have hundreds of devices.
/// So the first try determines the cost from the table of keys, which is cheap. Before the service computes a proof, it charges the cost to
/// the caller's rate and refuses an answer that would be too long.
/// </summary>
/// <param name="Queries">The users that the request asks about.</param>
/// <param name="Terms">The terms of the answer.</param>
internal sealed record UserAnswerRequest(UserQueries Queries, AnswerTerms Terms) : AnswerRequest(Terms)
{
    private int _cost = 1;

    public override string Name => "users";

    public override int Count => Queries.Count;

    public override int Cost => _cost;

    public override int MaxLength => AnswerLimits.MaxAnswerLength(QueryKind.Lookup, Count);

    public override Action<Utf8JsonWriter, ReadOnlyMemory<byte>> WriteJson => AnswerJson.WriteUserLookupAnswer;

    public override FirstTry TryWriteAtOnce(ServedEpoch epoch, PooledWriter answer)
    {
        UsersSummary summary;
        bool isWritten = false;
        if (Terms.UsesCache)
        {
            isWritten = epoch.View.TryWriteUsers(Queries.Octets, ProtocolLimits.MaxUserEntries, answer, out summary);
        }
        else
        {
            summary = epoch.View.SummarizeUsers(Queries.Octets, ProtocolLimits.MaxUserEntries);
        }
        _cost = Math.Max(1, summary.Proofs / AnswerLimits.ProofsOfLookup);
        return new FirstTry(isWritten, summary.Entries, FindRefusal(summary));
    }

    public override void AddTo(ProofBatch proofs) => proofs.AddUsers(Queries.Octets, ProtocolLimits.MaxUserEntries);

    public override void Write(ServedEpoch epoch, ProofBatch proofs, PooledWriter answer)
    {
        proofs.WriteUsers(Queries.Octets, ProtocolLimits.MaxUserEntries, answer, out UsersSummary summary);
        if (FindRefusal(summary) is { } refusal)
        {
            throw refusal;
        }
    }

    private ProblemException? FindRefusal(UsersSummary summary) =>
        summary.AheadOf != KnownOfUser.None ? Queries.NotCaughtUp(summary)
        : summary.IsAnswered(Count, ProtocolLimits.MaxUserEntries) ? null
        : new ProblemException(new Problem(
            ProblemTypes.AnswerTooLarge,
            $"The answer would show more than {ProtocolLimits.MaxUserEntries} usernames, decommissions, device lists and keys: ask for fewer users at once."));
}
