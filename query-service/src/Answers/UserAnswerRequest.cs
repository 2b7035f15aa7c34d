using System.Text.Json;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Following;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>
/// A request about users that is being answered. The request does not show its answer's cost, because a user may have hundreds of devices.
/// So the service first determines the cost from the table of keys, which is cheap. Before it computes a proof, it charges the cost to the
/// caller's rate and refuses an answer that would be too long.
/// </summary>
/// <param name="Queries">The users that the request asks about.</param>
/// <param name="Spend">The action that charges the answer's cost, counted in keys, to the caller's rate. It is called only once.</param>
/// <param name="Position">The part of the log that the client has seen.</param>
/// <param name="Type">The media type of the answer.</param>
/// <param name="UsesCache">
/// Whether the answer uses the cache of VRF proofs. If false, the service computes all proofs and adds none of them to the cache.
/// </param>
/// <param name="Lease">The lease that counts the answer's memory. The answer must be disposed of before the lease.</param>
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
        // The service may try the request again at another epoch, but charges the caller only once.
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
