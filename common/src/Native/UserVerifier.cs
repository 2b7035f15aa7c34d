using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>Verifies answers about users. The class has the same properties as <see cref="Verifier"/>.</summary>
public static unsafe class UserVerifier
{
    // The length of the shortest valid entry of a device, which has at least one proof of absence. From this length follows the most
    // devices that an answer is likely to have. If an answer has shorter entries, it has more devices, and the native call is repeated with
    // more room.
    private const int LikelyDeviceLength = 1 + 8 + 3 + 3 + Lengths.VrfProof + 1;

    /// <summary>
    /// Verifies a UserLookupAnswer (docs/spec/users.md, docs/spec/recycled-names.md) for the queried users, in their order. Ranges in the
    /// results refer to <paramref name="answer"/>; ids and lists in the results are copies.
    /// </summary>
    public static UsersVerdict Lookup(VerifierContext context, IReadOnlyList<UserQuestion> users, ReadOnlySpan<byte> answer)
    {
        ArgumentNullException.ThrowIfNull(users);
        using ByteStrings strings = MakeStrings(users);
        Interop.Known[] known = [.. users.Select(user => VerifierInputs.MakeKnown(user.ListVersion)),
            .. users.SelectMany(user => user.Keys).Select(device => VerifierInputs.MakeKnown(device.Key))];
        Interop.UserState[] states = [.. users.Select(user => new Interop.UserState
        {
            LeastEpoch = user.LeastEpoch, NumKeys = (nuint)user.Keys.Count, HasLeft = user.HasLeft ? 1u : 0u, Generation = user.Generation,
        })];
        var results = new Interop.UserResult[users.Count];
        var devices = new Interop.DeviceResult[answer.Length / LikelyDeviceLength];
        using var pinned = new PinnedContext(context);
        while (true)
        {
            fixed (Interop.UserResult* resultsAt = results)
            fixed (Interop.DeviceResult* devicesAt = devices)
            {
                var verdict = new Interop.UsersVerdict { Users = resultsAt, Devices = devicesAt, DevicesCapacity = (nuint)devices.Length };
                int status = Interop.optiks_verify_users(
                    in pinned.Native, (nuint)users.Count, strings.Blob, strings.Offsets, states, known, answer, (nuint)answer.Length,
                    ref verdict);
                if (status == (int)NativeStatus.Buffer && verdict.NumDevices > (nuint)devices.Length)
                {
                    devices = new Interop.DeviceResult[verdict.NumDevices];
                    continue;
                }
                OptiksNativeException.ThrowIfFailed(status, nameof(Interop.optiks_verify_users));
                return verdict.Reason != 0
                    ? new UsersVerdict(
                        (Reason)verdict.Reason, VerifierResults.FindFailedKey(verdict.Failed, users.Count), null, default, [])
                    : new UsersVerdict(Reason.Valid, null, VerifierResults.MakeHead(verdict.Head),
                        VerifierResults.Slice(verdict.RecordOffset, EpochRecord.Length), MakeUsers(users, results, devices, answer));
            }
        }
    }

    /// <summary>
    /// Verifies a UserMonitorAnswer (docs/spec/user-monitor.md). Ranges in the result refer to <paramref name="answer"/>; ids and lists in
    /// the result are copies.
    /// </summary>
    public static UserMonitorVerdict Monitor(VerifierContext context, OwnUserQuestion own, ReadOnlySpan<byte> answer)
    {
        ArgumentNullException.ThrowIfNull(own);
        using ByteStrings strings = MakeStrings(own);
        Interop.Known[] known =
            [VerifierInputs.MakeKnown(own.ListVersion), .. own.Keys.Select(device => VerifierInputs.MakeKnown(device.Key))];
        var state = new Interop.UserState { LeastEpoch = own.LeastEpoch, NumKeys = (nuint)own.Keys.Count, HasLeft = own.HasLeft ? 1u : 0u };
        var keys = new Interop.OwnKeyResult[(answer.Length / LikelyDeviceLength) + 1];
        var entries = new Interop.VersionEntry[(answer.Length / VerifierResults.LeastMemberLength) + 1];
        using var pinned = new PinnedContext(context, mayBeEnded: true);
        while (true)
        {
            fixed (Interop.OwnKeyResult* keysAt = keys)
            fixed (Interop.VersionEntry* entriesAt = entries)
            {
                var verdict = new Interop.UserMonitorVerdict
                {
                    Keys = keysAt,
                    KeysCapacity = (nuint)keys.Length,
                    Entries = entriesAt,
                    EntriesCapacity = (nuint)entries.Length,
                };
                int status = Interop.optiks_verify_user_monitor(
                    in pinned.Native, in state, (nuint)own.Names.Count, strings.Blob, strings.Offsets, known, answer, (nuint)answer.Length,
                    ref verdict);
                if (status == (int)NativeStatus.Buffer
                    && (verdict.NumKeys > (nuint)keys.Length || verdict.NumEntries > (nuint)entries.Length))
                {
                    keys = new Interop.OwnKeyResult[verdict.NumKeys];
                    entries = new Interop.VersionEntry[verdict.NumEntries];
                    continue;
                }
                OptiksNativeException.ThrowIfFailed(status, nameof(Interop.optiks_verify_user_monitor));
                if (verdict.Reason != 0)
                {
                    return new UserMonitorVerdict((Reason)verdict.Reason, null, null);
                }
                VerifiedOwnUser user = verdict.HasLeft != 0
                    ? new VerifiedOwnUser(null, default, [])
                    : MakeOwnUser(
                        own, verdict.Head.Period, verdict.List, keys.AsSpan(0, (int)verdict.NumKeys), entries, strings.Blob, answer);
                return new UserMonitorVerdict(Reason.Valid, VerifierResults.MakeHead(verdict.Head), user);
            }
        }
    }

    // The native call expects four strings for each user, followed by the device ids of all users.
    private static ByteStrings MakeStrings(IReadOnlyList<UserQuestion> users)
    {
        var strings = new ByteStrings();
        foreach (UserQuestion user in users)
        {
            strings.Add(user.Username.Span);
            strings.Add(user.Device.Span);
            strings.Add(user.UserId.Span);
            strings.Add(user.List.Span);
        }
        foreach (KnownDevice device in users.SelectMany(user => user.Keys))
        {
            strings.Add(device.Device.Span);
        }
        return strings;
    }

    private static VerifiedUser[] MakeUsers(
        IReadOnlyList<UserQuestion> asked, Interop.UserResult[] results, ReadOnlySpan<Interop.DeviceResult> devices,
        ReadOnlySpan<byte> answer)
    {
        var accepted = new VerifiedUser[results.Length];
        for (int i = 0; i < accepted.Length; i++)
        {
            ref readonly Interop.UserResult result = ref results[i];
            var kind = (UserKind)result.Kind;
            VerifiedLookup listVersion = VerifierResults.MakeLookup(in result.Devices);
            ReadOnlyMemory<byte> list = kind != UserKind.Current
                ? default
                : listVersion.Value is { } sent ? answer[sent].ToArray() : asked[i].List;
            var ofUser = new VerifiedDevice[result.NumDevices];
            for (int j = 0; j < ofUser.Length; j++)
            {
                ref readonly Interop.DeviceResult device = ref devices[j];
                ofUser[j] = new VerifiedDevice(
                    list[VerifierResults.Slice(device.IdOffset, device.IdLen)], device.RecordEpoch, VerifierResults.MakeLookup(in device.Key));
            }
            devices = devices[ofUser.Length..];
            ReadOnlyMemory<byte> userId = result.UserLen > 0
                ? answer[VerifierResults.Slice(result.UserOffset, result.UserLen)].ToArray()
                : asked[i].UserId;
            accepted[i] = new VerifiedUser(kind, userId, result.Epoch, result.LargestEpoch, result.DevicesEpoch, listVersion, list,
                ofUser)
            { Generation = result.Generation };
        }
        return accepted;
    }

    // The native call expects this order: the user id, the usernames, the stored device list, the named device ids.
    private static ByteStrings MakeStrings(OwnUserQuestion own)
    {
        var strings = new ByteStrings();
        strings.Add(own.UserId.Span);
        foreach (ReadOnlyMemory<byte> name in own.Names)
        {
            strings.Add(name.Span);
        }
        strings.Add(own.List.Span);
        foreach (KnownDevice device in own.Keys)
        {
            strings.Add(device.Device.Span);
        }
        return strings;
    }

    private static VerifiedOwnUser MakeOwnUser(
        OwnUserQuestion own, ulong period, Interop.VersionsResult list, ReadOnlySpan<Interop.OwnKeyResult> keys,
        ReadOnlySpan<Interop.VersionEntry> entries,
        ReadOnlySpan<byte> strings, ReadOnlySpan<byte> answer)
    {
        var results = new Interop.VersionsResult[keys.Length + 1];
        results[0] = list;
        for (int i = 0; i < keys.Length; i++)
        {
            results[i + 1] = keys[i].Versions;
        }
        VerifiedVersions[] versions = VerifierResults.MakeVersions(results, entries);
        var devices = new VerifiedOwnDevice[keys.Length];
        for (int i = 0; i < devices.Length; i++)
        {
            ReadOnlySpan<byte> within = keys[i].IdIsBrought != 0 ? strings : answer;
            devices[i] = new VerifiedOwnDevice(within[VerifierResults.Slice(keys[i].IdOffset, keys[i].IdLen)].ToArray(), versions[i + 1]);
        }
        Range? opened = versions[0].Members.LastOrDefault(member => member.Value is not null).Value;
        // A device list that was stored in another period does not count as known.
        ReadOnlyMemory<byte> before = own.ListVersion.Period == period ? own.List : default;
        return new VerifiedOwnUser(versions[0], opened is { } last ? answer[last].ToArray() : before, devices);
    }
}
