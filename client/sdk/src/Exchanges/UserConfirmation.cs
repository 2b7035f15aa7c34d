using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Compares the changes in a request about a user with the user's state in the log, at the epoch of publication or later
/// (docs/spec/users.md section 8). If a later change hides a requested change, the result is neither confirmed nor contradicted.
/// </summary>
internal static class UserConfirmation
{
    /// <summary>
    /// Compares the requested changes in a result with the result's lookups, which are valid. Returns the result with the confirmation.
    /// </summary>
    /// <param name="result">Result of a published request.</param>
    /// <param name="histories">For each device whose latest version is not the published version, the value of the published version, by
    /// device id in base64url. A value is null if it was erased.</param>
    /// <param name="lists">Known versions of the device list, including the versions of the history if <see cref="MissingList"/> asks for a
    /// history.</param>
    /// <param name="hidden">Receives the devices whose published version is hidden by a later version and is missing in the
    /// histories.</param>
    public static UserUpdateResult Judge(
        UserUpdateResult result, IReadOnlyDictionary<string, ReadOnlyMemory<byte>?> histories, KnownLists lists,
        out IReadOnlyList<(KeyName Device, KeyVersionNumber Version)> hidden)
    {
        var later = new List<(KeyName Device, KeyVersionNumber Version)>();
        hidden = later;
        foreach (UserLookupResult lookup in result.Lookups)
        {
            if (lookup.User is not { } user)
            {
                return Contradicted(result, $"the log has no user {DisplayText.Show(lookup.Username.Span)}");
            }
            if (!user.Span.SequenceEqual(result.User!.Value.Span))
            {
                return Contradicted(result, $"{DisplayText.Show(lookup.Username.Span)} leads to another user");
            }
        }
        UserLookupResult now = result.Lookups[0];
        if (result.Changes[0].Operation == UserOperation.Decommission)
        {
            return now.HasLeft
                ? result with { Confirmation = UpdateConfirmation.Confirmed }
                : Contradicted(result, "the user has not left");
        }
        if (now.HasLeft)
        {
            return Unproven(result, "the user has left since");
        }
        if (result.Items.Any(item => item.Version.Period > now.Head!.Period))
        {
            return Contradicted(result, "the log has not begun the period that the server names");
        }
        UserUpdateResult judged = List(result with { Confirmation = UpdateConfirmation.Confirmed }, now, lists);
        foreach (UserChange change in result.Changes)
        {
            judged = change.Removed is { } removed && judged.Confirmation != UpdateConfirmation.Contradicted
                && Find(now, removed) is not null
                ? Contradicted(judged, $"{DisplayText.Show(removed.Span)} is still a device")
                : change.Devices.Aggregate(judged, (before, device) => Device(before, now, device, histories, later));
        }
        return judged;
    }

    /// <summary>
    /// Returns the published version of the device list if the client needs a history for it or for the version before it; null if both
    /// versions are known, or the request does not change the list. A later list proves nothing about the request: the log may have dropped
    /// the request, and another request may have added or removed the device.
    /// </summary>
    public static KeyVersionNumber? MissingList(UserUpdateResult result, KnownLists lists) =>
        ChangesList(result) && !result.Lookups[0].HasLeft && NamedList(result) is { Version: > 0 } named
            && !(lists.TryFind(named, out _) && lists.TryFind(Before(named), out _)) ? named : null;

    // The list version that the server names must result from applying the request to the version before it. If that version has a device
    // that the request does not add, the log added that device.
    private static UserUpdateResult List(UserUpdateResult result, UserLookupResult now, KnownLists lists)
    {
        KeyVersionNumber? item = NamedList(result);
        if (!ChangesList(result))
        {
            return item is not null
                ? Contradicted(result, "the server names a version of the device list, which the request does not change")
                : now.ListEpoch > 0 && now.ListEpoch == result.Epoch
                    ? Contradicted(result, "the device list changed with it, which nobody asked for")
                : result;
        }
        if (item is not { Version: > 0 } named)
        {
            return Contradicted(result, "the server names no version of the device list");
        }
        if (now.ListVersion < (named.Period < now.Head!.Period ? 1 : named.Version))
        {
            return Contradicted(result, "the log has no such device list");
        }
        if (named.Period == now.Head!.Period && now.ListVersion == named.Version && now.ListEpoch > 0 && now.ListEpoch != result.Epoch)
        {
            return Contradicted(result, $"that version of the device list is of epoch {now.ListEpoch}");
        }
        if (!lists.TryFind(named, out IReadOnlyList<ReadOnlyMemory<byte>>? after)
            || !lists.TryFind(Before(named), out IReadOnlyList<ReadOnlyMemory<byte>>? before))
        {
            return Unproven(result, "no history shows the version of the device list and the one before it");
        }
        if (after is null || before is null)
        {
            return Unproven(result, "the version of the device list, or the one before it, was erased meanwhile");
        }
        HashSet<string> made = Ids(before);
        made.ExceptWith(Ids(result.Changes.Select(change => change.Removed).OfType<ReadOnlyMemory<byte>>()));
        made.UnionWith(Ids(result.Changes.Where(AddsDevices).SelectMany(change => change.Devices).Select(device => device.Device)));
        string[] other = [.. Ids(after).Except(made, StringComparer.Ordinal).Order(StringComparer.Ordinal),
            .. made.Except(Ids(after), StringComparer.Ordinal).Order(StringComparer.Ordinal)];
        return other.Length == 0 ? result
            : Contradicted(
                result,
                $"that version of the device list {(made.Contains(other[0]) ? "lacks" : "has")} {DisplayText.Show(KeyName.FromId(other[0]).Span)}, which nobody asked for");
    }

    private static bool ChangesList(UserUpdateResult result) =>
        result.Changes.Any(change => AddsDevices(change) || change.Removed is not null);

    private static bool AddsDevices(UserChange change) => change.Operation is UserOperation.Create or UserOperation.AddDevice;

    private static KeyVersionNumber? NamedList(UserUpdateResult result) => Item(result, StructureId.Devices, result.User!.Value);

    private static KeyVersionNumber Before(KeyVersionNumber version) => version with { Version = version.Version - 1 };

    private static HashSet<string> Ids(IEnumerable<ReadOnlyMemory<byte>> devices) =>
        new(devices.Select(device => Base64UrlText.Encode(device.Span)), StringComparer.Ordinal);

    private static UserUpdateResult Device(
        UserUpdateResult result, UserLookupResult now, UserDeviceValue set, IReadOnlyDictionary<string, ReadOnlyMemory<byte>?> histories,
        List<(KeyName Device, KeyVersionNumber Version)> later)
    {
        string id = DisplayText.Show(set.Device.Span);
        if (result.Confirmation == UpdateConfirmation.Contradicted)
        {
            return result;
        }
        if (Item(result, StructureId.Keys, set.Device) is not { Version: > 0 } named)
        {
            return Contradicted(result, $"the server names no version of {id}");
        }
        if (Find(now, set.Device) is not { } shown)
        {
            return Unproven(result, $"{id} is no device any more");
        }
        bool isCurrent = named.Period == now.Head!.Period;
        if (isCurrent && shown.Version < named.Version)
        {
            return Contradicted(result, $"the log has no such version of {id}");
        }
        if (isCurrent && shown.Version == named.Version && shown.PublishedEpoch > 0 && shown.PublishedEpoch != result.Epoch)
        {
            return Contradicted(result, $"that version of {id} is of epoch {shown.PublishedEpoch}");
        }
        ReadOnlyMemory<byte>? value = shown.Value;
        var name = KeyName.OfVerified(set.Device);
        if ((!isCurrent || shown.Version > named.Version) && !histories.TryGetValue(name.Id, out value))
        {
            later.Add((name, named));
            return Unproven(result, $"a later version of {id} is the latest");
        }
        return value is null ? Unproven(result, $"the version's value of {id} was erased meanwhile")
            : value.Value.Span.SequenceEqual(set.Value.Span) ? result
            : Contradicted(result, $"{id} has another value");
    }

    public static UserUpdateResult Contradicted(UserUpdateResult result, string detail) =>
        result with { Confirmation = UpdateConfirmation.Contradicted, Detail = detail };

    public static UserUpdateResult Unproven(UserUpdateResult result, string detail) =>
        result with { Confirmation = UpdateConfirmation.Unproven, Detail = detail };

    private static UserDevice? Find(UserLookupResult lookup, ReadOnlyMemory<byte> device) =>
        lookup.Devices.FirstOrDefault(shown => shown.Device.Span.SequenceEqual(device.Span));

    private static KeyVersionNumber? Item(UserUpdateResult result, StructureId structure, ReadOnlyMemory<byte> key)
    {
        foreach (PublishedKey item in result.Items)
        {
            if (item.Structure == structure && item.Key.Span.SequenceEqual(key.Span))
            {
                return item.Version;
            }
        }
        return null;
    }
}
