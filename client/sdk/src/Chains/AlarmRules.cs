using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Collects the alarms about an owner's user, which the state has with the user, with its device list and with the keys of its devices, and
/// ends them.
/// </summary>
internal static class AlarmRules
{
    /// <summary>
    /// Returns two kinds of alarms: first those about the list and the user, then those about the values of the user's devices, device by
    /// device.
    /// </summary>
    public static IReadOnlyList<UserAlarm> Of(ClientState state, string user) => state.OwnPersonOf(user) is not { } own
        ? []
        :
        [
            .. (PersonRules.ListOf(state, user)?.Alarms ?? []).OrderBy(alarm => alarm.Period).ThenBy(alarm => alarm.Version)
                .Select(alarm => UserAlarm.OfVersion(null, alarm)),
            .. own.Alarms.Select(UserAlarm.OfPerson).OrderBy(alarm => alarm.Kind),
            .. own.Followed.Order(StringComparer.Ordinal)
                .SelectMany(id => (state.OwnOf(StructureKey.OfKey(id))?.Alarms ?? []).Select(alarm => UserAlarm.OfVersion(id, alarm))),
        ];

    /// <summary>
    /// Returns the alarms to report with a lookup of a name: alarms that the name leads to another user than the owner's, and alarms that
    /// an owned user in the lookup has left.
    /// </summary>
    public static IReadOnlyList<UserAlarm> OfLookup(ClientState state, string name, IEnumerable<ReadOnlyMemory<byte>> users)
    {
        string[] ids = [.. users.Select(user => Base64UrlText.Encode(user.Span))];
        return
        [
            .. state.OwnedPersons.SelectMany(owner => state.OwnPersonOf(owner)!.Alarms
                .Where(alarm => alarm.Name is { } elsewhere ? elsewhere == name : ids.Contains(owner)).Select(UserAlarm.OfPerson)),
        ];
    }

    /// <summary>
    /// Ends alarms, and returns the number of alarms that ended. If an ended alarm was about a name that leads to another user, the owner's
    /// user no longer claims that name.
    /// </summary>
    public static ClientState Acknowledge(ClientState current, string user, IReadOnlyCollection<UserAlarm> alarms, out int count)
    {
        UserAlarm[] ended = [.. Of(current, user).Where(alarms.Contains)];
        count = ended.Length;
        if (count == 0)
        {
            return current;
        }
        OwnPerson own = current.OwnPersonOf(user)!;
        string[] elsewhere = [.. ended.Select(alarm => alarm.Name).OfType<string>()];
        ClientState next = current.SetOwnPerson(user, own with
        {
            Alarms = own.Alarms.RemoveAll(alarm => ended.Contains(UserAlarm.OfPerson(alarm))),
            Names = own.Names.RemoveAll(elsewhere.Contains),
        });
        foreach (string? device in ended.Where(alarm => alarm.IsOfVersion).Select(alarm => alarm.Device).Distinct())
        {
            StructureKey key = device is null ? StructureKey.OfList(user) : StructureKey.OfKey(device);
            Own chain = next.OwnOf(key)!;
            next = next.SetOwn(
                key, chain with { Alarms = chain.Alarms.RemoveAll(alarm => ended.Contains(UserAlarm.OfVersion(device, alarm))) });
        }
        return PersonRules.Tidy(next);
    }
}
