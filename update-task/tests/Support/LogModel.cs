using System.Text;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateTask.Tests.Support;

/// <summary>
/// Models which requests a log accepts and what they change. The model is written directly from docs/spec/users.md section 7. It represents
/// bytes as texts, with one character for each byte, so that the ordinal order of the texts is the order of the bytes.
/// </summary>
internal sealed class LogModel
{
    private readonly int _maxDevices;
    private readonly bool _reusesUsernames;
    private readonly Dictionary<(StructureId Structure, string Key), ulong> _copied = [];
    private ulong _period;
    private readonly Dictionary<(StructureId Structure, string Key), List<string>> _values = [];
    private readonly List<ModelLeaf> _leaves = [];

    public LogModel(int maxDevices, bool reusesUsernames = false)
    {
        _maxDevices = maxDevices;
        _reusesUsernames = reusesUsernames;
    }

    /// <summary>The copies with which the current period began.</summary>
    public IReadOnlyList<string> Copied { get; private set; } = [];

    public static string CopyOf(StructureId structure, string key, ulong version, string value) => $"{structure} {key} {version} {value}";

    /// <summary>Begins the next period with the latest version of each key, except the keys of users who have left.</summary>
    public void Switch()
    {
        string[] left = [.. _values.Keys.Where(key => key.Structure == StructureId.Decommissioned).Select(key => key.Key)];
        foreach (string user in left)
        {
            // The keys of devices that were only on earlier lists of the period are removed too. Otherwise their keys would be copied, and
            // no request could erase the copies.
            foreach (string device in _values.GetValueOrDefault((StructureId.Devices, user), []).SelectMany(IdsOf))
            {
                _values.Remove((StructureId.Keys, device));
            }
            _values.Remove((StructureId.Devices, user));
        }
        _copied.Clear();
        var copied = new List<string>();
        foreach (((StructureId structure, string key),
            List<string> values) in _values.Where(pair => pair.Key.Structure.IsPerPeriod()).ToArray())
        {
            copied.Add(CopyOf(structure, key, (ulong)values.Count, values[^1]));
            _copied[(structure, key)] = (ulong)values.Count;
            _values[(structure, key)] = [values[^1]];
        }
        Copied = copied;
        _period++;
    }

    /// <summary>The leaves of all epochs that the model has decided so far.</summary>
    public IReadOnlyList<ModelLeaf> Leaves => _leaves;

    public static string Text(ReadOnlyMemory<byte> octets) => Encoding.Latin1.GetString(octets.Span);

    /// <summary>
    /// Applies the requests that an epoch decided. Fails if the status of a request does not follow from the model's state before the
    /// epoch.
    /// </summary>
    public void Decide(ulong epoch, IReadOnlyList<(AcceptRequest Request, RequestStatus Status)> decided)
    {
        foreach ((AcceptRequest request, RequestStatus status) in decided)
        {
            Refusal? refusal = Judge(request);
            Assert.Equal((epoch, refusal), (status.Epoch, status.Refusal));
            Assert.Equal(refusal is null ? RequestState.Published : RequestState.Refused, status.State);
        }
        foreach ((AcceptRequest request, RequestStatus status) in decided.Where(pair => pair.Status.State == RequestState.Published))
        {
            int first = _leaves.Count;
            Apply(request);
            Assert.Equal(
                _leaves.Skip(first).Select(leaf => (leaf.Structure, leaf.Key, leaf.Version)),
                status.Items.Select(item => (item.Structure, Text(item.Key), item.Version)));
        }
    }

    /// <summary>Returns the device list of a user as stored bytes; null if the user has no list.</summary>
    public byte[]? ListOf(string user) => Latest(StructureId.Devices, user) is { } list ? Encoding.Latin1.GetBytes(list) : null;

    private Refusal? Judge(AcceptRequest request)
    {
        IReadOnlyList<AcceptItem> items = request.Items;
        for (int i = 0; i < items.Count; i++)
        {
            if (items[i].Expected is { } expected && Now(items[i], expected) != Current(items[i]))
            {
                return new Refusal(RefusalReason.ExpectedVersion, i, Current(items[i]));
            }
        }
        if (items[0].Structure != StructureId.Devices)
        {
            return null;
        }
        string user = Text(items[0].Key);
        var change = UserChange.Decode(items[0].Value);
        string[] added = [.. change.Added.Select(Text)];
        string[] removed = [.. change.Removed.Select(Text)];
        SortedSet<string>? list = Devices(user);
        Refusal OfList(RefusalReason reason) => new(reason, 0, Current(items[0]));
        int Find(Func<AcceptItem, bool> matches) => Enumerable.Range(0, items.Count).FirstOrDefault(i => matches(items[i]), -1);
        if (Latest(StructureId.Decommissioned, user) is not null)
        {
            return OfList(RefusalReason.UserLeft);
        }
        if (change.Creates && list is not null)
        {
            return OfList(RefusalReason.UserExists);
        }
        if (!change.Creates && list is null)
        {
            return OfList(RefusalReason.UserUnknown);
        }
        int name = Find(item => item.Structure == StructureId.Usernames && Latest(StructureId.Usernames, Text(item.Key)) is { } holder
            && !(_reusesUsernames && Latest(StructureId.Decommissioned, holder) is not null));
        if (name >= 0)
        {
            return new Refusal(RefusalReason.UsernameTaken, name, new ExpectedVersion(_period, 0));
        }
        int taken =
            Find(item => item.Structure == StructureId.Keys && added.Contains(Text(item.Key))
                && Latest(StructureId.Keys, Text(item.Key)) is not null);
        if (taken >= 0)
        {
            return new Refusal(RefusalReason.DeviceTaken, taken, Current(items[taken]));
        }
        if (removed.Any(device => list?.Contains(device) != true))
        {
            return OfList(RefusalReason.DeviceUnknown);
        }
        int unknown =
            Find(item => item.Structure == StructureId.Keys && !added.Contains(Text(item.Key)) && list?.Contains(Text(item.Key)) != true);
        return unknown >= 0 ? new Refusal(RefusalReason.DeviceUnknown, unknown, Current(items[unknown]))
            : (list?.Count ?? 0) + added.Length - removed.Length > _maxDevices ? OfList(RefusalReason.DeviceLimit)
            : null;
    }

    private void Apply(AcceptRequest request)
    {
        for (int i = 0; i < request.Items.Count; i++)
        {
            AcceptItem item = request.Items[i];
            string value = Text(item.Value);
            if (item.Structure == StructureId.Devices)
            {
                var change = UserChange.Decode(item.Value);
                if (!change.Creates && change.Added.Count + change.Removed.Count == 0)
                {
                    continue;
                }
                SortedSet<string> list = Devices(Text(item.Key)) ?? new SortedSet<string>(StringComparer.Ordinal);
                list.UnionWith(change.Added.Select(Text));
                list.ExceptWith(change.Removed.Select(Text));
                string devices = string.Concat(list.Select(device => (char)device.Length + device));
                value = $"{(char)0}{(char)(devices.Length >> 8)}{(char)(devices.Length & 255)}{devices}";
            }
            var key = (item.Structure, Text(item.Key));
            if (!_values.TryGetValue(key, out List<string>? values))
            {
                _values.Add(key, values = []);
            }
            values.Add(value);
            _leaves.Add(new ModelLeaf(new LeafOrigin(request.RequestId, i), item.Structure, key.Item2, Current(item).Version, value));
        }
    }

    private SortedSet<string>? Devices(string user) => Latest(StructureId.Devices, user) is { } octets ? IdsOf(octets) : null;

    // Returns the device ids of a stored list. In a stored list, each id follows a byte with its length.
    private static SortedSet<string> IdsOf(string octets)
    {
        var list = new SortedSet<string>(StringComparer.Ordinal);
        for (int at = 3; at < octets.Length; at += 1 + octets[at])
        {
            list.Add(octets.Substring(at + 1, octets[at]));
        }
        return list;
    }

    private string? Latest(StructureId structure, string key) =>
        _values.TryGetValue((structure, key), out List<string>? values) ? values[^1] : null;

    // Returns the version that an item expects, as a version of the current period (docs/spec/periods.md section 9).
    private ExpectedVersion Now(AcceptItem item, ExpectedVersion expected) => expected.Period + 1 != _period ? expected
        : expected.Version == 0 ? new ExpectedVersion(_period, 0)
        : _copied.TryGetValue((item.Structure, Text(item.Key)), out ulong copied) && copied == expected.Version
            ? new ExpectedVersion(_period, 1)
        : expected;

    private ExpectedVersion Current(AcceptItem item) => new(
        _period,
        (item.Structure.HasVersions() || (_reusesUsernames && item.Structure == StructureId.Usernames))
            && _values.TryGetValue((item.Structure, Text(item.Key)), out List<string>? values) ? (ulong)values.Count : 0);

    /// <summary>Holds the parts of a leaf that the model can predict, because they do not depend on random numbers.</summary>
    internal sealed record ModelLeaf(LeafOrigin Origin, StructureId Structure, string Key, ulong Version, string Value);
}
