using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Requests up to 256 users at once. The answer leaves out the proofs and values that this client already has.</summary>
internal sealed class UserLookupExchange : VerifiedExchange<UserLookupExchange.Learnt>
{
    private readonly IReadOnlyList<(KeyName Username, KeyName? Device)> _users;
    private readonly ulong _least;
    private readonly TrustPolicy _policy;
    private readonly IClientStateStore _store;
    private RememberedUser[] _remembered = [];
    private ulong? _earliest;

    /// <param name="users">The usernames, each with the one device that is requested, or with null for all devices.</param>
    /// <param name="least">
    /// The least epoch that the caller accepts for each user. The head of the answer may have an earlier epoch, because parts of an answer
    /// may be later than its head.
    /// </param>
    /// <param name="policy">The client's policy.</param>
    /// <param name="store">Store of the client's state.</param>
    /// <param name="ofOwner">
    /// Whether the names are an owner's own names. If so, the server proves again to which users the names lead, and the request carries
    /// the owner's credential if lookups need a credential.
    /// </param>
    public UserLookupExchange(IReadOnlyList<(KeyName Username, KeyName? Device)> users, ulong least, TrustPolicy policy,
        IClientStateStore store, bool ofOwner = false)
    {
        MayAuthorize = ofOwner;
        _policy = policy;
        _users = users;
        _least = least;
        _store = store;
    }

    public override string Path => "/v1/users/lookup";

    public override string MediaType => MediaTypes.UserLookup;

    public override string BodyMediaType => MediaTypes.UserQuery;

    public override bool NeedsAuthorization => false;

    public override bool MayAuthorize { get; }

    public override byte[] Body(ClientState seen)
    {
        _remembered =
            [.. _users.Select(user =>
                RememberedUser.Of(user.Username, user.Device, _least, seen, new Coverage(_policy, seen.Cosigners), _store, MayAuthorize))];
        return UserQueryList.Encode([.. _remembered.Select(user => user.Query)]);
    }

    public override Checked<Learnt> Verify(VerifierContext context, ClientState seen, ReadOnlyMemory<byte> answer)
    {
        UsersVerdict verdict = UserVerifier.Lookup(context, [.. _remembered.Select(user => user.Question)], answer.Span);
        if (verdict.Reason != Reason.Valid)
        {
            return new(verdict.Reason, null, null, verdict.FailedUser);
        }
        _earliest = Heads.Earliest(answer);
        var learning = new UserLearning(seen, verdict.Head!.Period, _earliest.Value);
        // If a name led to other users earlier, read these users from the answer, which is verified at this point.
        IReadOnlyList<UserLookup>? shown = verdict.Users.Any(user => user.Generation > 1) ? UserLookupAnswer.Decode(answer).Users : null;
        var answers = new UserAnswer[_users.Count];
        for (int i = 0; i < answers.Length; i++)
        {
            Reason reason = learning.Take(
                _users[i].Username, _remembered[i], verdict.Users[i], shown?[i].Generations?.Earlier ?? [], answer, out answers[i]);
            if (reason != Reason.Valid)
            {
                return new(reason, null, null, i);
            }
            answers[i] = answers[i] with { TimeMs = Heads.TimeAt(answer, answers[i].Epoch) };
        }
        // Keep the newest record of the answer.
        return new(Reason.Valid, verdict.Head with { Record = verdict.NewestRecord }, new Learnt(answers, learning), null);
    }

    public override bool MayBeOfRecentEpoch => _least == 0;

    // A part of the answer may have an earlier epoch than the newest record. Its content is also true at the later epoch, but only if the
    // trees only grow. So auditors must cover all epochs from the earliest part's epoch on.
    public override ulong? ProvenFrom => _remembered.Select(user => user.ProvenFrom).Append(_earliest).Min();

    public override ReadOnlyMemory<byte> ContradictingRecord(ReadOnlyMemory<byte> answer, ReadOnlySpan<byte> kept) =>
        Heads.PeekPart(answer, kept);

    public override IReadOnlyList<LeafStatement> Leaves(ClientState seen, ReadOnlyMemory<byte> answer)
    {
        if (seen.OwnedPersons.IsEmpty && seen.OwnedChains.IsEmpty)
        {
            return [];
        }
        UserLookupAnswer shown = UserLookupAnswer.Decode(answer);
        var leaves = new ShownLeaves(shown.Head, seen.Head?.Checkpoint, shown.Parts);
        for (int i = 0; i < Math.Min(_users.Count, shown.Users.Count); i++)
        {
            Add(leaves, _users[i].Username, _users[i].Device, _remembered[i].Question, shown.Users[i],
                EpochRecord.ReadPeriod(shown.Head.Record.Span));
        }
        return leaves.Found;
    }

    public override ClientState? Remember(ClientState seen, ClientState current, VerifiedHead head, Learnt learnt) =>
        learnt.State.ApplyTo(current);

    public override IReadOnlyCollection<ReadOnlyMemory<byte>> Values(Learnt learnt) => learnt.State.NewValues;

    private static void Add(ShownLeaves leaves, KeyName username, KeyName? device, UserQuestion question, UserLookup shown, ulong period)
    {
        ReadOnlyMemory<byte> user = question.UserId;
        if (shown.Name is { } name)
        {
            leaves.Add(StructureId.Usernames, username.Octets, name);
            user = name.Member?.Value ?? user;
        }
        if (shown.Generations is { } generations)
        {
            leaves.Add(StructureId.Usernames, username.Octets, generations.Names, generations.Record);
            foreach ((Member earlier, UserEntry left) in generations.Names.Members.Zip(generations.Left))
            {
                leaves.Add(StructureId.Decommissioned, earlier.Value, left);
            }
            user = generations.Names.Members is [.., { } last] ? last.Value : user;
        }
        if (shown.Decommissioned is { } entry)
        {
            leaves.Add(StructureId.Decommissioned, user, entry);
        }
        if (shown.Devices is not { } devices)
        {
            return;
        }
        bool isKnown = shown.Generations is null && question.ListVersion.Period == period;
        leaves.Add(StructureId.Devices, user, devices.Lookup, isKnown ? question.ListVersion.Version : 0, devices.Record);
        ReadOnlyMemory<byte> list = devices.Lookup.Members is [.., { Kind: MemberKind.Opened } latest] ? latest.Value : question.List;
        IEnumerable<ReadOnlyMemory<byte>> ids = device is { } one
            ? [one.Octets]
            : DeviceList.TryDecode(list, out IReadOnlyList<ReadOnlyMemory<byte>>? listed) ? listed : [];
        foreach ((ReadOnlyMemory<byte> id, VersionedEntry key) in ids.Zip(shown.Keys))
        {
            ulong known = isKnown ? question.Keys.FirstOrDefault(brought => brought.Device.Span.SequenceEqual(id.Span)).Key.Version : 0;
            leaves.Add(StructureId.Keys, id, key.Lookup, known, key.Record);
        }
    }

    /// <summary>An answer's result for each user, and the changes to the state.</summary>
    internal sealed record Learnt(IReadOnlyList<UserAnswer> Users, UserLearning State);
}
