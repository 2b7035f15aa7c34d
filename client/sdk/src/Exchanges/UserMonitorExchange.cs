using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Asks for one page of an owner's own user (docs/spec/user-monitor.md).</summary>
internal sealed class UserMonitorExchange : VerifiedExchange<UserMonitorExchange.Learnt>
{
    private readonly OwnUserPages _pages;
    private readonly Func<ClientState, OwnUserShown, ClientState> _remember;

    /// <param name="pages">The pages read so far.</param>
    /// <param name="remember">Applies the caller's changes to the state after a result, in addition to the changes that every answer
    /// makes.</param>
    public UserMonitorExchange(OwnUserPages pages, Func<ClientState, OwnUserShown, ClientState> remember)
    {
        _pages = pages;
        _remember = remember;
        LeastEpoch = pages.Epoch;
    }

    public override string Path => "/v1/users/monitor";

    public override string MediaType => MediaTypes.UserMonitor;

    public override string BodyMediaType => MediaTypes.UserMonitorQuery;

    public override string Query => EndedRecord.IsEmpty ? "" : $"&period={EpochRecord.ReadPeriod(EndedRecord.Span)}";

    public override bool NeedsAuthorization => true;

    public override ReadOnlyMemory<byte> EndedRecord => _pages.EndedRecord;

    public override bool IsOfOnePeriod => true;

    public override byte[]? Body(ClientState seen) => _pages.Query.Encode();

    public override Checked<Learnt> Verify(VerifierContext context, ClientState seen, ReadOnlyMemory<byte> answer)
    {
        OwnUserQuestion question = _pages.Question;
        // A question about a period that has ended must name no least epoch and no facts from later epochs, because these do not concern
        // that period.
        question = EndedRecord.IsEmpty
            ? question with { LeastEpoch = LeastOf(seen, question), HasLeft = seen.LeftEpochOf(_pages.User.Id) is not null }
            : question;
        UserMonitorVerdict verdict = UserVerifier.Monitor(context, question, answer.Span);
        if (verdict.Reason != Reason.Valid)
        {
            return new(verdict.Reason, null, null, null);
        }
        VerifiedHead head = verdict.Head!;
        OwnUserPage page = Compared(OwnUserPage.Of(head, verdict.User!, answer), head, verdict.User!, answer.Span, out Reason handover);
        if (handover != Reason.Valid)
        {
            return new(handover, null, null, null);
        }
        if (!page.Complete)
        {
            return new(Reason.Valid, head, new Learnt(page, null), null);
        }
        Reason reason = Learn(seen, _pages.End(page), out Result? result);
        return reason == Reason.Valid ? new(reason, head, new Learnt(page, result), null) : new(reason, null, null, null);
    }

    public override IReadOnlyList<LeafStatement> Leaves(ClientState seen, ReadOnlyMemory<byte> answer)
    {
        UserMonitorAnswer shown = UserMonitorAnswer.Decode(answer);
        var leaves = new ShownLeaves(shown.Head, seen.Head?.Checkpoint);
        leaves.Add(StructureId.Decommissioned, _pages.User.Octets, shown.Decommissioned);
        if (shown.Devices is not { } lists)
        {
            return leaves.Found;
        }
        leaves.Add(StructureId.Devices, _pages.User.Octets, lists);
        foreach ((ReadOnlyMemory<byte> id, Versions versions) in Followed(_pages.Question, lists).Zip(shown.Keys))
        {
            leaves.Add(StructureId.Keys, id, versions);
        }
        return leaves.Found;
    }

    public override ClientState? Remember(ClientState seen, ClientState current, VerifiedHead head, Learnt learnt)
    {
        if (learnt.Result is not { } result)
        {
            return current;
        }
        string user = _pages.User.Id;
        // Discard the answer if another answer about the user or its chains was stored since the client compared this answer with the state.
        if (current.LeftEpochOf(user) != seen.LeftEpochOf(user)
            || result.Chains.Keys.Any(chain => current.SeenOf(chain) != seen.SeenOf(chain)))
        {
            return null;
        }
        ClientState next = result.LeftEpoch == current.LeftEpochOf(user)
            ? current
            : current.SetPerson(user, (current.Persons.GetValueOrDefault(user) ?? new Person()) with { LeftEpoch = result.LeftEpoch });
        return _remember(result.Chains.Aggregate(next, (state, chain) => state.SetSeen(chain.Key, chain.Value)), result.Shown);
    }

    public override ulong? ProvenFrom => _pages.Proven;

    public override IEnumerable<Believed> Shown(Learnt learnt) => learnt.Result is null ? [] : [default];

    public override IReadOnlyCollection<ReadOnlyMemory<byte>> Values(Learnt learnt) => learnt.Result?.Values ?? [];

    public override bool IsWhole(Learnt learnt) =>
        TimedVersion.AreShown(learnt.Page.List.Versions ?? [])
            && learnt.Page.Devices.All(device => TimedVersion.AreShown(device.Key.Versions));

    public override bool ShowsMore(Learnt learnt, Learnt than)
    {
        var keys = learnt.Page.Devices.ToDictionary(device => device.Name.Id, device => device.Key.Versions, StringComparer.Ordinal);
        return TimedVersion.ShowMore(learnt.Page.List.Versions ?? [], than.Page.List.Versions ?? [])
            || than.Page.Devices.Any(
                device => TimedVersion.ShowMore(keys.GetValueOrDefault(device.Name.Id) ?? [], device.Key.Versions));
    }

    // Returns the ids of the devices whose keys the answer must show (docs/spec/user-monitor.md section 3).
    private static SortedSet<ReadOnlyMemory<byte>> Followed(OwnUserQuestion question, Versions lists)
    {
        SortedSet<ReadOnlyMemory<byte>> ids = DeviceList.IdsOf(lists.OpenedValues.Append(question.List));
        ids.UnionWith(question.Keys.Select(device => device.Device));
        return ids;
    }

    private ulong LeastOf(ClientState seen, OwnUserQuestion question)
    {
        ulong least = Math.Max(question.LeastEpoch,
            Math.Max(seen.LeastEpochOfUser(_pages.User.Id), PersonRules.ListOf(seen, _pages.User.Id)?.At?.AbsentEpoch ?? 0));
        return question.Keys.Aggregate(least, (most, device) => Math.Max(most, seen.LeastEpoch(Base64UrlText.Encode(device.Device.Span))));
    }

    // Compares the copies with their end states, and adds the verdicts to the page. If a copy differs from its end state, the fault is the
    // log's and not this server's, so the client raises an alarm and continues. If the answer is about another period, the client refuses
    // the answer.
    private OwnUserPage Compared(OwnUserPage page, VerifiedHead head, VerifiedOwnUser shown, ReadOnlySpan<byte> answer, out Reason refused)
    {
        refused = Reason.Valid;
        if (_pages.Ends is not { } ends || page.HasLeft)
        {
            return page;
        }
        OwnUserPage compared = page with { List = Compared(page.List, head, shown.List!, ends.List, answer) };
        var devices = new List<(KeyName Name, OwnUserPage.Key Key)>(page.Devices.Count);
        for (int i = 0; i < page.Devices.Count; i++)
        {
            (KeyName name, OwnUserPage.Key key) = page.Devices[i];
            devices.Add(
                (name, ends.Devices.TryGetValue(name.Id, out EndState? end)
                    ? Compared(key, head, shown.Devices[i].Key, end, answer)
                    : key));
        }
        compared = compared with { Devices = devices };
        refused = devices.Select(device => device.Key.Handover).Append(compared.List.Handover).Contains(Reason.HandoverPeriod)
            ? Reason.HandoverPeriod
            : refused;
        return compared;
    }

    private static OwnUserPage.Key Compared(
        OwnUserPage.Key key, VerifiedHead head, VerifiedVersions shown, EndState end, ReadOnlySpan<byte> answer) =>
        shown.From == 1 ? key with { Handover = Verifier.Handover(head, shown, end, answer) } : key;

    // Computes what to remember after a result, in the same way as for a lookup.
    private static Reason Learn(ClientState seen, OwnUserShown shown, out Result? result)
    {
        result = null;
        var list = StructureKey.OfList(shown.User.Id);
        ulong? left = seen.LeftEpochOf(shown.User.Id);
        Seen? before = seen.SeenOf(list);
        var chains = new Dictionary<StructureKey, Seen?>();
        if (shown.HasLeft)
        {
            // The client keeps nothing of the list of a user who has left.
            chains[list] = null;
            result = new Result(shown, Math.Max(shown.Epoch, left ?? 0), chains, []);
            // If the list is known from a later period than this result, the user was current after it had left.
            return before?.At.Period > shown.Period ? Reason.UserReturned : Reason.Valid;
        }
        Reason reason = LearnRules.Learn(before, seen.OwnOf(list)?.At, shown.List, shown.Period, shown.Epoch, out Seen after);
        if (reason != Reason.Valid)
        {
            return reason;
        }
        // If the list is known from a later period than this result, or the user is known to have left, this stays.
        bool isOld = left is not null || before?.At.Period > shown.Period;
        // If the question said that the client knows the list, the answer lacks its octets and their hash. `shown.LatestList` is then the
        // client's own copy.
        chains[list] = isOld ? before : after with { At = after.At with { ValueSha256 = ValueHash.Of(shown.LatestList.Span) } };
        List<ReadOnlyMemory<byte>> values = isOld ? [] : [shown.LatestList];
        foreach ((string id, OwnUserDevice device) in shown.Devices)
        {
            var chain = StructureKey.OfKey(id);
            Seen? known = seen.SeenOf(chain);
            Cursor? own = seen.OwnOf(chain)?.At;
            if (device.Epoch < shown.Epoch)
            {
                // The device left the list while the client read pages, so another answer may already have shown a newer version of the
                // device's key. So only check that these versions agree with the known ones, and store nothing.
                reason = LearnRules.Agree(known?.At, own, device.Ended.Versions, shown.Period);
                if (reason != Reason.Valid)
                {
                    return reason;
                }
                continue;
            }
            reason = LearnRules.Learn(known, own, device.Ended, shown.Period, shown.Epoch, out after);
            if (reason != Reason.Valid)
            {
                return reason;
            }
            chains[chain] = after;
            if (after.At.Period == shown.Period && device.Ended.Versions is [.., { Version.Value: { } value }])
            {
                values.Add(value);
            }
        }
        result = new Result(shown, left, chains, values);
        return Reason.Valid;
    }

    /// <summary>A page, with the result that the page completes; the result is null if more pages follow.</summary>
    internal sealed record Learnt(OwnUserPage Page, Result? Result);

    /// <summary>A result, with what to remember of the user and of its chains, and the values to keep.</summary>
    internal sealed record Result(OwnUserShown Shown, ulong? LeftEpoch, IReadOnlyDictionary<StructureKey, Seen?> Chains,
        IReadOnlyCollection<ReadOnlyMemory<byte>> Values);
}
