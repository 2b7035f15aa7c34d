using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Holds the versions of one user's device list that verified answers showed. To see what a request changed in the list, the client
/// compares the request's version with the version before it (docs/spec/users.md section 8).
/// </summary>
internal sealed class KnownLists
{
    private readonly Dictionary<KeyVersionNumber, IReadOnlyList<ReadOnlyMemory<byte>>?> _versions = [];

    /// <summary>
    /// Collects the versions of a user's list that a client keeps: the version that a lookup showed last, and the last version that the
    /// owner verified.
    /// </summary>
    public static KnownLists Kept(ClientState state, IClientStateStore store, string user)
    {
        var known = new KnownLists();
        if (state.SeenOf(StructureKey.OfList(user))?.At is { Version: > 0, ValueSha256: { } hash } listed
            && store.FindValue(hash) is { } octets)
        {
            known.Add(new KeyVersionNumber(listed.Period, listed.Version), DeviceList.Decode(octets));
        }
        if (PersonRules.ListOf(state, user) is { At: { Version: > 0 } at, List: { } owned })
        {
            known.Add(new KeyVersionNumber(at.Period, at.Version), DeviceList.Decode(owned));
        }
        return known;
    }

    /// <summary>Adds the device list of a valid lookup of the whole user, if the lookup shows a list.</summary>
    public KnownLists With(UserLookupResult lookup)
    {
        if (lookup.ListVersion > 0)
        {
            Add(new KeyVersionNumber(lookup.Head!.Period, lookup.ListVersion), [.. lookup.Devices.Select(device => device.Device)]);
        }
        return this;
    }

    /// <summary>
    /// Adds the versions of a valid history. An erased version does not replace the content that an earlier answer showed.
    /// </summary>
    public KnownLists With(UserHistoryResult history)
    {
        foreach (UserListVersion version in history.Lists)
        {
            Add(new KeyVersionNumber(version.Period, version.Version), version.Devices);
        }
        return this;
    }

    /// <summary>
    /// Tells whether a version is known, and returns its device ids, or null for an erased version. Version 0, before the first list, has
    /// no ids.
    /// </summary>
    public bool TryFind(KeyVersionNumber version, out IReadOnlyList<ReadOnlyMemory<byte>>? devices)
    {
        devices = [];
        return version.Version == 0 || _versions.TryGetValue(version, out devices);
    }

    private void Add(KeyVersionNumber version, IReadOnlyList<ReadOnlyMemory<byte>>? devices)
    {
        if (devices is not null || !_versions.ContainsKey(version))
        {
            _versions[version] = devices;
        }
    }
}
