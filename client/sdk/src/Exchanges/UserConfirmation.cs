using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// UserConfirmation compares what a request about a user asked for with what the log shows of the user at an epoch at least as late (docs/spec/users.md section 8). What a later change hides is neither confirmed nor
/// contradicted.
/// </summary>
internal static class UserConfirmation
{
    /// <summary>Of the result with its valid lookups.</summary>
    /// <param name="result">Result of a published request.</param>
    /// <param name="histories">Of devices, by id in base64url, the value of the published version where that is not the latest; null: erased.</param>
    /// <param name="listHistory">Published version of the device list, if <see cref="HiddenList"/> asked for it; null: not shown.</param>
    /// <param name="hidden">Devices whose published version a later one hides, and that histories do not have.</param>
    public static UserUpdateResult Judge(
        UserUpdateResult result, IReadOnlyDictionary<string, ReadOnlyMemory<byte>?> histories, UserListVersion? listHistory, out IReadOnlyList<(KeyName Device, KeyVersionNumber Version)> hidden)
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
            return now.HasLeft ? result with { Confirmation = UpdateConfirmation.Confirmed } : Contradicted(result, "the user has not left");
        }
        if (now.HasLeft)
        {
            return Unproven(result, "the user has left since");
        }
        KeyVersionNumber? named = Item(result, StructureId.Devices, result.User!.Value);
        if (result.Items.Any(item => item.Version.Period > now.Head!.Period))
        {
            return Contradicted(result, "the log has not begun the period that the server names");
        }
        // Of a period that has ended the versions say nothing about those of this one. What the list has now is what was asked for, or a later change.
        ulong? list = named?.Version is { } number && number > 0 && named.Value.Period < now.Head!.Period ? 1 : named?.Version;
        if (list is not > 0 && result.Changes.Any(change => change.Operation is UserOperation.Create or UserOperation.AddDevice or UserOperation.RemoveDevice))
        {
            return Contradicted(result, "the server names no version of the device list");
        }
        if (now.ListVersion < (list ?? 1))
        {
            return Contradicted(result, "the log has no such device list");
        }
        UserUpdateResult judged = result with { Confirmation = UpdateConfirmation.Confirmed };
        foreach (UserChange change in result.Changes)
        {
            UserUpdateResult one = change.Removed is { } removed
                ? Removed(judged, now, removed, named!.Value, listHistory)
                : change.Devices.Aggregate(judged, (before, device) => Device(before, now, device, change.Operation, list, histories, later));
            if (one.Confirmation == UpdateConfirmation.Contradicted)
            {
                return one;
            }
            judged = one;
        }
        return judged;
    }

    /// <summary>
    /// HiddenList is the published version of the device list if a device was to leave it and a later version hides it; null: it is shown, or nobody asks. That a later list does not have the device says nothing about the
    /// request: the log may have dropped it, and the device have left by another one. A device that comes onto a list has its own key's version, and nobody else adds its id.
    /// </summary>
    public static KeyVersionNumber? HiddenList(UserUpdateResult result) =>
        result.Changes.Any(change => change.Removed is not null) && Item(result, StructureId.Devices, result.User!.Value) is { Version: > 0 } named && IsHidden(result.Lookups[0], named) ? named : null;

    private static bool IsHidden(UserLookupResult now, KeyVersionNumber named) => named.Period < now.Head!.Period || now.ListVersion > named.Version;

    private static UserUpdateResult Removed(UserUpdateResult result, UserLookupResult now, ReadOnlyMemory<byte> removed, KeyVersionNumber named, UserListVersion? listHistory)
    {
        string id = DisplayText.Show(removed.Span);
        if (Find(now, removed) is not null)
        {
            return Contradicted(result, $"{id} is still a device");
        }
        return !IsHidden(now, named) ? result
            : listHistory is null ? Unproven(result, "a later version of the device list is the latest")
            : listHistory.Devices is not { } devices ? Unproven(result, "the version of the device list was erased meanwhile")
            : devices.Any(device => device.Span.SequenceEqual(removed.Span)) ? Contradicted(result, $"the version of the device list still has {id}")
            : result;
    }

    private static UserUpdateResult Device(
        UserUpdateResult result, UserLookupResult now, UserDeviceValue set, UserOperation operation, ulong? list,
        IReadOnlyDictionary<string, ReadOnlyMemory<byte>?> histories, List<(KeyName Device, KeyVersionNumber Version)> later)
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
            return operation != UserOperation.SetDevice && now.ListVersion == list ? Contradicted(result, $"{id} is not a device") : Unproven(result, $"{id} is no device any more");
        }
        bool isCurrent = named.Period == now.Head!.Period;
        if (isCurrent && shown.Version < named.Version)
        {
            return Contradicted(result, $"the log has no such version of {id}");
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

    public static UserUpdateResult Contradicted(UserUpdateResult result, string detail) => result with { Confirmation = UpdateConfirmation.Contradicted, Detail = detail };

    public static UserUpdateResult Unproven(UserUpdateResult result, string detail) => result with { Confirmation = UpdateConfirmation.Unproven, Detail = detail };

    private static UserDevice? Find(UserLookupResult lookup, ReadOnlyMemory<byte> device) => lookup.Devices.FirstOrDefault(shown => shown.Device.Span.SequenceEqual(device.Span));

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
