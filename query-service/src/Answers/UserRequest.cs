using System.Text.Json;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Following;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>
/// UserRequest is one request about users while it is answered. What it costs is not in the request but in the log: a user may have hundreds of devices. So the table of keys is asked first, which costs
/// little, and before a proof is made the caller has paid, and an answer that would be too long is refused.
/// </summary>
/// <param name="Queries">About which users.</param>
/// <param name="Spend">Called once with how many keys' worth the answer is, of the caller's rate.</param>
/// <param name="Position">How far the client has seen the log.</param>
/// <param name="Type">Media type of the answer.</param>
/// <param name="UsesCache">False: all VRF proofs are made, whatever is cached, and none is cached.</param>
/// <param name="Lease">Counts the memory of the answer, which is disposed before it.</param>
internal sealed record UserRequest(UserQueries Queries, Action<int> Spend, ClientPosition Position, string Type, bool UsesCache, AnswerLease Lease)
    : AnswerRequest(Position, Type, UsesCache, Lease)
{
    private int _cost = 1;
    private bool _isPaid;

    public override string Name => "users";

    public override int Count => Queries.Count;

    public override int Cost => _cost;

    public override int MaxLength => AnswerLimits.Of(QueryKind.Lookup, Count);

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
        // Of another epoch it may be tried again.
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
