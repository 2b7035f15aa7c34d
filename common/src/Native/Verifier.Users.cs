using Optiks.Protocol;

namespace Optiks.Native;

public static unsafe partial class Verifier
{
    // The length of the shortest valid entry of a device, which has at least one proof of absence. From this length follows the most
    // devices that an answer is likely to have. If an answer has shorter entries, it has more devices, and the native call is repeated with
    // more room.
    private const int LikelyDeviceLength = 1 + 8 + 3 + 3 + Lengths.VrfProof + 1;

    /// <summary>
    /// Verifies a UserLookupAnswer (docs/spec/users.md, docs/spec/recycled-names.md) for the queried users, in their order. Ranges in the
    /// results refer to <paramref name="answer"/>; ids and lists in the results are copies.
    /// </summary>
    public static UsersVerdict Users(VerifierContext context, IReadOnlyList<UserQuestion> users, ReadOnlySpan<byte> answer)
    {
        ArgumentNullException.ThrowIfNull(context);
        ArgumentNullException.ThrowIfNull(users);
        using ByteStrings strings = MakeStrings(users);
        Interop.Known[] known = [.. users.Select(user => MakeKnown(user.ListVersion)),
            .. users.SelectMany(user => user.Keys).Select(device => MakeKnown(device.Key))];
        Interop.UserState[] states = [.. users.Select(user => new Interop.UserState
        {
            LeastEpoch = user.LeastEpoch, NumKeys = (nuint)user.Keys.Count, HasLeft = user.HasLeft ? 1u : 0u, Generation = user.Generation,
        })];
        var results = new Interop.UserResult[users.Count];
        var devices = new Interop.DeviceResult[answer.Length / LikelyDeviceLength];
        fixed (byte* configuration = context.Anchor.ConfigurationOctets.Span)
        fixed (byte* record = context.KeptRecord.Span)
        fixed (byte* periodRecord = context.KeptPeriodRecord.Span)
        {
            Interop.Context native = MakeContext(context, configuration, record, periodRecord);
            while (true)
            {
                int status = Interop.optiks_verify_users(
                    in native, (nuint)users.Count, strings.Blob, strings.Offsets, states, known, answer, (nuint)answer.Length,
                    out int reason, out nuint failed, out Interop.HeadResult head, out nuint recordOffset, results, devices,
                    (nuint)devices.Length, out nuint numDevices);
                if (status == (int)NativeStatus.Buffer && numDevices > (nuint)devices.Length)
                {
                    devices = new Interop.DeviceResult[numDevices];
                    continue;
                }
                OptiksNativeException.ThrowIfFailed(status, nameof(Interop.optiks_verify_users));
                return reason != 0
                    ? new UsersVerdict((Reason)reason, FailedKey(failed, users.Count), null, default, [])
                    : new UsersVerdict(Reason.Valid, null, Accepted(head), Slice(recordOffset, EpochRecord.Length),
                        Accepted(users, results, devices, answer));
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

    private static VerifiedUser[] Accepted(
        IReadOnlyList<UserQuestion> asked, Interop.UserResult[] results, ReadOnlySpan<Interop.DeviceResult> devices,
        ReadOnlySpan<byte> answer)
    {
        var accepted = new VerifiedUser[results.Length];
        for (int i = 0; i < accepted.Length; i++)
        {
            ref readonly Interop.UserResult result = ref results[i];
            var kind = (UserKind)result.Kind;
            VerifiedLookup listVersion = Accepted(in result.Devices);
            ReadOnlyMemory<byte> list = kind != UserKind.Current
                ? default
                : listVersion.Value is { } sent ? answer[sent].ToArray() : asked[i].List;
            var ofUser = new VerifiedDevice[result.NumDevices];
            for (int j = 0; j < ofUser.Length; j++)
            {
                ref readonly Interop.DeviceResult device = ref devices[j];
                ofUser[j] = new VerifiedDevice(list[Slice(device.IdOffset, device.IdLen)], device.RecordEpoch, Accepted(in device.Key));
            }
            devices = devices[ofUser.Length..];
            ReadOnlyMemory<byte> userId = result.UserLen > 0 ? answer[Slice(result.UserOffset, result.UserLen)].ToArray() : asked[i].UserId;
            accepted[i] = new VerifiedUser(kind, userId, result.Epoch, result.LargestEpoch, result.DevicesEpoch, listVersion, list,
                ofUser)
            { Generation = result.Generation };
        }
        return accepted;
    }
}
