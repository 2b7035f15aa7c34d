using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Asks for the versions of a user's device list and of the keys of all devices that were on it, for a history or an owner's monitoring
/// (docs/spec/user-monitor.md).
/// </summary>
internal sealed class UserPages : VersionsPages
{
    private readonly KeyName _user;
    private readonly Dictionary<string, KnownKey> _named = new(StringComparer.Ordinal);
    private KnownKey _list;
    private ReadOnlyMemory<byte> _keptList;

    /// <summary>Begins a question about a user of whom the client knows nothing yet.</summary>
    public UserPages(KeyName user)
        : base(StructureKey.OfList(user.Id))
    {
        _user = user;
    }

    public override string Path => "/v1/users/monitor";

    public override string MediaType => MediaTypes.UserMonitor;

    public override string BodyMediaType => MediaTypes.UserMonitorQuery;

    public override int MaxLength => 64 << 20;

    public override byte[] Body
    {
        get
        {
            OwnUserQuestion question = Question;
            return new UserMonitorQuery(_user.Octets)
            {
                Period = question.ListVersion.Version > 0 || question.Keys.Any(device => device.Key.Version > 0)
                    ? question.ListVersion.Period
                    : 0,
                From = question.ListVersion.Version + 1,
                Keys = [.. question.Keys.Select(device => new KnownDeviceKey(device.Device, device.Key.Version + 1))],
            }.Encode();
        }
    }

    // The question to ask next, without the least epoch of the client's state.
    private OwnUserQuestion Question => new(_user.Octets)
    {
        LeastEpoch = Epoch,
        ListVersion = _list,
        List = _keptList,
        Keys =
        [
            // If there are too many keys to name all of them, the server shows all versions of each unnamed key. The question must name the
            // keys whose versions the last page did not complete, because the server would otherwise begin with version 1 of these keys on
            // every page.
            .. _named.OrderByDescending(device => device.Value.PageVersion > 0).ThenByDescending(device => device.Value.Version)
                .Take(ProtocolLimits.MaxKnownKeys)
                .Select(device => new KnownDevice(KeyName.FromId(device.Key), device.Value))
                .OrderBy(device => device.Device, DeviceList.Order),
        ],
    };

    /// <summary>
    /// Begins the question of an owner, with everything of the owner's state that it can name, for a period that ended with a record or for
    /// the current period.
    /// </summary>
    /// <param name="user">The user.</param>
    /// <param name="seen">State of the client.</param>
    /// <param name="before">Record of the last epoch of the previous period, up to which the owner verified the user. If it is not null,
    /// the question is step 2 of the hand-over.</param>
    /// <param name="asked">Record of the last epoch of the period in question; null for the current period.</param>
    /// <param name="coverage">The auditors' coverage: the question requests versions again if an answer showed them before the coverage
    /// began.</param>
    public static UserPages OfOwner(KeyName user, ClientState seen, EpochRecord? before, EpochRecord? asked, Coverage coverage)
    {
        Own? own = PersonRules.ListOf(seen, user.Id);
        if (before is not null)
        {
            return OfNextPeriod(user, seen, own!, before, asked);
        }
        if (own is not { At: { Version: > 0 } list, List: { } octets } || list.Period != (asked?.Period ?? seen.Head?.Period))
        {
            // The client relies on an earlier answer when it believes that the user had nothing in earlier periods. This belief, too, is
            // justified only if auditors cover the epochs from that answer on (PersonRules.BeginAfter).
            return new UserPages(user) { EndedRecord = asked?.Encode(), Proven = own?.List is null ? own?.At?.ProvenEpoch : null };
        }
        ulong proven = list.ProvenEpoch ?? 0;
        string[] listed = [.. DeviceList.Decode(octets).Select(device => Base64UrlText.Encode(device.Span))];
        if (!coverage.MayLeaveOut(listed.Select(id => seen.OwnOf(StructureKey.OfKey(id))?.At).OfType<Cursor>()
            .Where(key => key.Period == list.Period && key.Version > 0 && key.ProvenEpoch is not null)
            .Aggregate(proven, (first, key) => Math.Min(first, key.ProvenEpoch!.Value))))
        {
            return new UserPages(user) { EndedRecord = asked?.Encode(), IsShownAgain = true };
        }
        var pages = new UserPages(user)
        {
            EndedRecord = asked?.Encode(),
            Proven = proven,
            _list = KnownVersion.OfOwner(list),
            _keptList = octets,
        };
        foreach (string id in listed)
        {
            Cursor? key = seen.OwnOf(StructureKey.OfKey(id))?.At;
            bool isKnown = key is not null && key.Period == list.Period && key.AbsentEpoch is not null;
            // If there are too many keys to name all of them, the question first names the keys whose versions a page did not complete.
            // KnownVersion.BeforeOwner would make every key look like such a key, so in this case name the latest known version itself.
            pages._named[id] = !isKnown ? default
                : listed.Length <= ProtocolLimits.MaxKnownKeys ? KnownVersion.BeforeOwner(key!)
                : KnownVersion.OfOwner(key!);
            pages.Proven = isKnown && key!.Version > 0 && key.ProvenEpoch < pages.Proven ? key.ProvenEpoch : pages.Proven;
        }
        return pages;
    }

    public override VerifiedPage Verify(VerifierContext context, ClientState seen, ReadOnlyMemory<byte> answer)
    {
        OwnUserQuestion question = Question;
        // A question about a period that has ended must name no least epoch and no facts from later epochs, because these do not concern
        // that period.
        question = EndedRecord.IsEmpty
            ? question with { LeastEpoch = LeastOf(seen, question), HasLeft = seen.LeftEpochOf(_user.Id) is not null }
            : question;
        UserMonitorVerdict verdict = UserVerifier.Monitor(context, question, answer.Span);
        return verdict is not { Reason: Reason.Valid, User: { } shown } ? new VerifiedPage(verdict.Reason, null, [])
            : shown.List is null ? new VerifiedPage(Reason.Valid, verdict.Head, [])
            : new VerifiedPage(
                Reason.Valid, verdict.Head,
                [
                    (Subject, shown.List),
                    .. shown.Devices.Select(device => (StructureKey.OfKey(Base64UrlText.Encode(device.Device.Span)), device.Key)),
                ],
                shown.KeptList);
    }

    public override IReadOnlyList<LeafStatement> Leaves(ClientState seen, ReadOnlyMemory<byte> answer)
    {
        UserMonitorAnswer shown = UserMonitorAnswer.Decode(answer);
        var leaves = new ShownLeaves(shown.Head, seen.Head?.Checkpoint);
        leaves.Add(StructureId.Decommissioned, _user.Octets, shown.Decommissioned);
        if (shown.Devices is not { } lists)
        {
            return leaves.Found;
        }
        leaves.Add(StructureId.Devices, _user.Octets, lists);
        foreach ((ReadOnlyMemory<byte> id, Versions versions) in Followed(Question, lists).Zip(shown.Keys))
        {
            leaves.Add(StructureId.Keys, id, versions);
        }
        return leaves.Found;
    }

    protected override void GoOn(VersionsPage page)
    {
        IReadOnlySet<string> listed = OwnRules.DeviceIds(page.KeptList);
        ChainPage[] devices = [.. page.Chains.Skip(1).Where(device => listed.Contains(device.Chain.Id) || !device.Complete)];
        KnownKey[] known = [.. devices.Select(device => KnownAfter(page, device))];
        _list = KnownAfter(page, page.Chains[0]);
        _keptList = page.KeptList;
        _named.Clear();
        foreach ((ChainPage device, KnownKey after) in devices.Zip(known))
        {
            _named[device.Chain.Id] = after;
        }
    }

    protected override KnownKey KnownOf(StructureKey chain) => chain == Subject ? _list : _named.GetValueOrDefault(chain.Id);

    private static UserPages OfNextPeriod(KeyName user, ClientState seen, Own list, EpochRecord before, EpochRecord? asked)
    {
        var ends = new Dictionary<StructureKey, EndState> { [StructureKey.OfList(user.Id)] = OwnRules.EndOf(list, before)! };
        var pages = new UserPages(user) { EndedRecord = asked?.Encode(), Ends = ends, Proven = before.Epoch + 1 };
        foreach (string id in OwnRules.DeviceIds(list.List))
        {
            var chain = StructureKey.OfKey(id);
            if (seen.OwnOf(chain) is { } key && OwnRules.EndOf(key, before) is { } end)
            {
                ends[chain] = end;
                // Name each of these keys, because the client must compare the key with its end state even if the copied list lacks the
                // device.
                pages._named[id] = default;
            }
        }
        return pages;
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
            Math.Max(seen.LeastEpochOfUser(_user.Id), PersonRules.ListOf(seen, _user.Id)?.At?.AbsentEpoch ?? 0));
        return question.Keys.Aggregate(least, (most, device) => Math.Max(most, seen.LeastEpoch(Base64UrlText.Encode(device.Device.Span))));
    }
}
