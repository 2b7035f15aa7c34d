using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Collects the verified contents of the answers to one question about the client's own user, and returns the next question until an answer
/// ends all lists (docs/spec/user-monitor.md section 5). Not thread-safe.
/// </summary>
internal sealed class OwnUserPages
{
    private readonly KeyName _user;
    private readonly Dictionary<string, (KeyName Name, KnownKey Known)> _named = new(StringComparer.Ordinal);
    private readonly SortedDictionary<ulong, TimedVersion> _lists = [];
    private readonly Dictionary<string, Collected> _devices = new(StringComparer.Ordinal);
    private KnownKey _list;
    private ReadOnlyMemory<byte> _keptList;
    private Reason? _listHandover;

    /// <summary>Begins a question about a user of whom the client knows nothing yet.</summary>
    public OwnUserPages(KeyName user)
    {
        _user = user;
    }

    /// <summary>The record of the last epoch of the period in question; empty for the current period.</summary>
    public ReadOnlyMemory<byte> EndedRecord { get; init; }

    /// <summary>
    /// The end states with which the copies at the start of the period are compared; null if the question is not step 2 of a hand-over.
    /// </summary>
    public OwnUserEnds? Ends { get; private init; }

    /// <summary>The number of pages read.</summary>
    public int Count { get; private set; }

    /// <summary>The number of octets of all pages read.</summary>
    public long Octets { get; private set; }

    /// <summary>The epoch of the last page; the client refuses a later page of an earlier epoch.</summary>
    public ulong Epoch { get; private set; }

    /// <summary>
    /// The next answer may leave out proofs that earlier answers had. Auditors must then cover all epochs from this epoch on. Null if the
    /// next answer leaves out nothing.
    /// </summary>
    public ulong? Proven { get; private set; }

    /// <summary>
    /// Whether the question asks for all versions of the period again, although earlier monitoring answers showed some of them.
    /// </summary>
    public bool IsShownAgain { get; private set; }

    /// <summary>The user in question.</summary>
    public KeyName User => _user;

    /// <summary>The question to ask next. It does not include the least epoch of the client's state.</summary>
    public OwnUserQuestion Question => new(_user.Octets)
    {
        LeastEpoch = Epoch,
        ListVersion = _list,
        List = _keptList,
        Keys =
        [
            // If there are too many keys to name all of them, the server shows all versions of each unnamed key. The question must name the
            // keys whose versions the last page did not complete, because the server would otherwise begin with version 1 of these keys on
            // every page.
            .. _named.Values.OrderByDescending(device => device.Known.PageVersion > 0).ThenByDescending(device => device.Known.Version)
                .Take(ProtocolLimits.MaxKnownKeys)
                .Select(device => new KnownDevice(device.Name.Octets, device.Known)).OrderBy(device => device.Device, DeviceList.Order),
        ],
    };

    /// <summary>The query to send, which asks the question in <see cref="Question"/>.</summary>
    public UserMonitorQuery Query
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
            };
        }
    }

    /// <summary>
    /// Collects everything of the owner's state that the question can name, for a period that ended with a record or for the current
    /// period.
    /// </summary>
    /// <param name="user">The user.</param>
    /// <param name="seen">State of the client.</param>
    /// <param name="before">Record of the last epoch of the previous period, up to which the owner verified the user. If it is not null,
    /// the question is step 2 of the hand-over.</param>
    /// <param name="asked">Record of the last epoch of the period in question; null for the current period.</param>
    /// <param name="coverage">The auditors' coverage: the question requests versions again if an answer showed them before the coverage
    /// began.</param>
    public static OwnUserPages Of(KeyName user, ClientState seen, EpochRecord? before, EpochRecord? asked, Coverage coverage)
    {
        Own? own = PersonRules.ListOf(seen, user.Id);
        var pages = new OwnUserPages(user)
        {
            EndedRecord = asked?.Encode(),
            Ends = before is null || own?.List is null ? null : EndsOf(seen, user, own, before),
        };
        if (pages.Ends is not null)
        {
            // Name each of these keys, because the client must compare the key with its end state even if the copied list lacks the device.
            foreach (string id in pages.Ends.Devices.Keys)
            {
                pages._named[id] = (new KeyName(KeyName.FromId(id), id), default);
            }
            pages.Proven = before!.Epoch + 1;
            return pages;
        }
        if (own is not { At: { Version: > 0 } list, List: { } octets } || list.Period != (asked?.Period ?? seen.Head?.Period))
        {
            // The client relies on an earlier answer when it believes that the user had nothing in earlier periods. This belief, too, is
            // justified only if auditors cover the epochs from that answer on (PersonRules.BeginAfter).
            pages.Proven = own?.List is null ? own?.At?.ProvenEpoch : null;
            return pages;
        }
        ulong proven = list.ProvenEpoch ?? 0;
        string[] listed = [.. DeviceList.Decode(octets).Select(device => Base64UrlText.Encode(device.Span))];
        if (!coverage.MayLeaveOut(listed.Select(id => seen.OwnOf(StructureKey.OfKey(id))?.At).OfType<Cursor>()
            .Where(key => key.Period == list.Period && key.Version > 0 && key.ProvenEpoch is not null)
            .Aggregate(proven, (first, key) => Math.Min(first, key.ProvenEpoch!.Value))))
        {
            pages.IsShownAgain = true;
            return pages;
        }
        pages._list = KnownVersion.OfOwner(list);
        pages._keptList = octets;
        pages.Proven = proven;
        foreach (string id in listed)
        {
            Cursor? key = seen.OwnOf(StructureKey.OfKey(id))?.At;
            bool isKnown = key is not null && key.Period == list.Period && key.AbsentEpoch is not null;
            // If there are too many keys to name all of them, the question first names the keys whose versions a page did not complete.
            // KnownVersion.BeforeOwner would make every key look like such a key, so in this case name the latest known version itself.
            KnownKey known = !isKnown ? default
                : listed.Length <= ProtocolLimits.MaxKnownKeys ? KnownVersion.BeforeOwner(key!)
                : KnownVersion.OfOwner(key!);
            pages._named[id] = (new KeyName(KeyName.FromId(id), id), known);
            pages.Proven = isKnown && key!.Version > 0 && key.ProvenEpoch < pages.Proven ? key.ProvenEpoch : pages.Proven;
        }
        return pages;
    }

    /// <summary>Adds a page that does not complete the result.</summary>
    public void Add(OwnUserPage page)
    {
        Count++;
        Octets += page.Octets;
        Epoch = page.Epoch;
        Proven = Math.Min(Proven ?? page.Epoch, page.Epoch);
        Collect(page, _lists, _devices);
        KnownKey list = Known(page, page.List, _list);
        var named = new Dictionary<string, (KeyName Name, KnownKey Known)>(StringComparer.Ordinal);
        IReadOnlySet<string> listed = OwnRules.DeviceIds(page.KeptList);
        foreach ((KeyName name, OwnUserPage.Key key) in page.Devices)
        {
            if (listed.Contains(name.Id) || !key.Complete)
            {
                named[name.Id] = (name, Known(page, key, _named.GetValueOrDefault(name.Id).Known));
            }
        }
        _list = list;
        _listHandover ??= page.List.Handover;
        _keptList = page.KeptList;
        _named.Clear();
        foreach ((string id, (KeyName Name, KnownKey Known) device) in named)
        {
            _named[id] = device;
        }
    }

    /// <summary>Returns the result that the last answer completes.</summary>
    public OwnUserShown End(OwnUserPage last)
    {
        if (last.HasLeft)
        {
            return new OwnUserShown(_user, last.Epoch, last.Period, true, default, default, new Dictionary<string, OwnUserDevice>());
        }
        // Work on copies and leave the collected pages unchanged, because the client may have to request the last answer again.
        var lists = new SortedDictionary<ulong, TimedVersion>(_lists);
        var devices = _devices.ToDictionary(
            device => device.Key, device => device.Value with { Versions = new(device.Value.Versions) }, StringComparer.Ordinal);
        Collect(last, lists, devices);
        return new OwnUserShown(
            _user, last.Epoch, last.Period, false,
            new EndedVersions(last.List.Latest, Known(last, last.List, _list).Time, [.. lists.Values]), last.KeptList,
            devices.ToDictionary(
                device => device.Key,
                device => new OwnUserDevice(
                    device.Value.Name, new EndedVersions(device.Value.Latest, device.Value.Time, [.. device.Value.Versions.Values]),
                    device.Value.Epoch, device.Value.Handover),
                StringComparer.Ordinal))
        {
            Handover = _listHandover ?? last.List.Handover,
            Proven = Math.Min(Proven ?? last.Epoch, last.Epoch),
            IsShownAgain = IsShownAgain,
        };
    }

    private static OwnUserEnds EndsOf(ClientState seen, KeyName user, Own list, EpochRecord before)
    {
        var devices = new Dictionary<string, EndState>(StringComparer.Ordinal);
        foreach (string id in PersonRules.DevicesOf(seen, user.Id))
        {
            if (seen.OwnOf(StructureKey.OfKey(id)) is { } key && OwnRules.EndOf(key, before) is { } end)
            {
                devices[id] = end;
            }
        }
        return new OwnUserEnds(OwnRules.EndOf(list, before)!, devices);
    }

    private void Collect(OwnUserPage page, SortedDictionary<ulong, TimedVersion> lists,
        Dictionary<string, Collected> devices)
    {
        foreach (TimedVersion version in page.List.Versions)
        {
            lists[version.Version.Version] = version;
        }
        foreach ((KeyName name, OwnUserPage.Key key) in page.Devices)
        {
            Collected collected = devices.GetValueOrDefault(name.Id) ?? new Collected(name, 0, 0, 0, null, []);
            foreach (TimedVersion version in key.Versions)
            {
                collected.Versions[version.Version.Version] = version;
            }
            devices[name.Id] = collected with
            {
                Latest = key.Latest,
                Time = Known(page, key, _named.GetValueOrDefault(name.Id).Known).Time,
                Epoch = page.Epoch,
                Handover = collected.Handover ?? key.Handover,
            };
        }
    }

    // Returns what the next question says about the versions of a list or key after a page, which may or may not end these versions.
    private static KnownKey Known(OwnUserPage page, OwnUserPage.Key key, KnownKey before)
    {
        (ulong version, ulong time) = key.Versions.Count > 0
            ? (key.Versions[^1].Version.Version, key.Versions[^1].Time)
            : (before.Version, before.Time);
        return key.Complete
            ? new KnownKey(0, page.Period, version, time, page.Epoch)
            : new KnownKey(0, page.Period, version, time, null, key.Latest);
    }

    private sealed record Collected(KeyName Name, ulong Latest, ulong Time, ulong Epoch, Reason? Handover,
        SortedDictionary<ulong, TimedVersion> Versions);
}
