using System.Text.Json;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Following;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>
/// One request about users, while it is being answered. Its cost depends on the log and not on the request: a user may have hundreds of
/// devices. So the request first determines the cost from the table of keys, which is cheap. Before a proof is computed, the caller pays
/// the cost, and an answer that would be too long is refused.
/// </summary>
/// <param name="Queries">The users that the request asks about.</param>
/// <param name="Spend">Called once with the answer's cost in keys, which is taken from the caller's rate.</param>
/// <param name="Position">How far the client has seen the log.</param>
/// <param name="Type">Media type of the answer.</param>
/// <param name="UsesCache">
/// Whether the cache of VRF proofs is used. If false, all proofs are computed, and none is added to the cache.
/// </param>
/// <param name="Lease">Counts the memory of the answer, which is disposed of before the lease.</param>
internal sealed record UserAnswerRequest(UserQueries Queries, Action<int> Spend, ClientPosition Position, string Type, bool UsesCache, AnswerLease Lease)
    : AnswerRequest(Position, Type, UsesCache, Lease)
{
    private int _cost = 1;
    private bool _isPaid;

    public override string Name => "users";

    public override int Count => Queries.Count;

    public override int Cost => _cost;

    public override int MaxLength => AnswerLimits.MaxAnswerLength(QueryKind.Lookup, Count);

    public override Action<Utf8JsonWriter, ReadOnlyMemory<byte>> WriteJson => AnswerJson.WriteUserLookupAnswer;

    public override bool IsTriedAtOnce => true;

    public override bool TryWriteAtOnce(ServedEpoch epoch, PooledWriter answer)
    {
        UsersSummary summary;
        bool isWritten = false;
        if (UsesCache)
        {
            isWritten = epoch.View.TryWriteUsers(Queries.Octets, ProtocolLimits.MaxUserEntries, answer, out summary);
        }
        else
        {
            summary = epoch.View.SummarizeUsers(Queries.Octets, ProtocolLimits.MaxUserEntries);
        }
        // The request may be tried again at another epoch; the caller pays once.
        if (!_isPaid)
        {
            _isPaid = true;
            Spend(summary.Entries);
        }
        ThrowUnlessAnswered(summary);
        _cost = Math.Max(1, summary.Proofs / AnswerLimits.ProofsOfLookup);
        return isWritten;
    }

    public override void AddTo(ProofBatch proofs) => proofs.AddUsers(Queries.Octets, ProtocolLimits.MaxUserEntries);

    public override void Write(ServedEpoch epoch, ProofBatch proofs, PooledWriter answer)
    {
        proofs.WriteUsers(Queries.Octets, ProtocolLimits.MaxUserEntries, answer, out UsersSummary summary);
        ThrowUnlessAnswered(summary);
    }

    private void ThrowUnlessAnswered(UsersSummary summary)
    {
        if (summary.AheadOf != KnownOfUser.None)
        {
            throw Queries.NotCaughtUp(summary);
        }
        if (!summary.IsAnswered(Count, ProtocolLimits.MaxUserEntries))
        {
            throw new ProblemException(new Problem(
                ProblemTypes.AnswerTooLarge, $"The answer would show more than {ProtocolLimits.MaxUserEntries} usernames, decommissions, device lists and keys: ask for fewer users at once."));
        }
    }
}
