using Optiks.Protocol;

namespace Optiks.Native;

public static unsafe partial class Verifier
{
    /// <summary>
    /// Verifies a UserMonitorAnswer (docs/spec/user-monitor.md). Ranges in the result refer to <paramref name="answer"/>; ids and lists in
    /// the result are copies.
    /// </summary>
    public static UserMonitorVerdict UserMonitor(VerifierContext context, OwnUserQuestion own, ReadOnlySpan<byte> answer)
    {
        ArgumentNullException.ThrowIfNull(context);
        ArgumentNullException.ThrowIfNull(own);
        using ByteStrings strings = MakeStrings(own);
        Interop.Known[] known = [MakeKnown(own.ListVersion), .. own.Keys.Select(device => MakeKnown(device.Key))];
        var state = new Interop.UserState { LeastEpoch = own.LeastEpoch, NumKeys = (nuint)own.Keys.Count, HasLeft = own.HasLeft ? 1u : 0u };
        var keys = new Interop.OwnKeyResult[(answer.Length / LikelyDeviceLength) + 1];
        var entries = new Interop.VersionEntry[(answer.Length / LeastMemberLength) + 1];
        fixed (byte* configuration = context.Anchor.ConfigurationOctets.Span)
        fixed (byte* record = context.KeptRecord.Span)
        fixed (byte* periodRecord = context.KeptPeriodRecord.Span)
        fixed (byte* ended = context.EndedRecord.Span)
        {
            Interop.Context native = MakeContext(context, configuration, record, periodRecord, ended);
            while (true)
            {
                int status = Interop.optiks_verify_user_monitor(
                    in native, in state, (nuint)own.Names.Count, strings.Blob, strings.Offsets, known, answer, (nuint)answer.Length,
                    out int reason,
                    out Interop.HeadResult head, out int hasLeft, out Interop.VersionsResult list, keys, (nuint)keys.Length,
                    out nuint numKeys,
                    entries, (nuint)entries.Length, out nuint numEntries);
                if (status == (int)NativeStatus.Buffer && (numKeys > (nuint)keys.Length || numEntries > (nuint)entries.Length))
                {
                    keys = new Interop.OwnKeyResult[numKeys];
                    entries = new Interop.VersionEntry[numEntries];
                    continue;
                }
                OptiksNativeException.ThrowIfFailed(status, nameof(Interop.optiks_verify_user_monitor));
                if (reason != 0)
                {
                    return new UserMonitorVerdict((Reason)reason, null, null);
                }
                VerifiedOwnUser user = hasLeft != 0
                    ? new VerifiedOwnUser(null, default, [])
                    : Accepted(own, head.Period, list, keys.AsSpan(0, (int)numKeys), entries, strings.Blob, answer);
                return new UserMonitorVerdict(Reason.Valid, Accepted(head), user);
            }
        }
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

    private static VerifiedOwnUser Accepted(
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
        VerifiedVersions[] versions = Accepted(results, entries);
        var devices = new VerifiedOwnDevice[keys.Length];
        for (int i = 0; i < devices.Length; i++)
        {
            ReadOnlySpan<byte> within = keys[i].IdIsBrought != 0 ? strings : answer;
            devices[i] = new VerifiedOwnDevice(within[Slice(keys[i].IdOffset, keys[i].IdLen)].ToArray(), versions[i + 1]);
        }
        Range? opened = versions[0].Members.LastOrDefault(member => member.Value is not null).Value;
        // A device list that was stored in another period does not count as known.
        ReadOnlyMemory<byte> before = own.ListVersion.Period == period ? own.List : default;
        return new VerifiedOwnUser(versions[0], opened is { } last ? answer[last].ToArray() : before, devices);
    }
}
