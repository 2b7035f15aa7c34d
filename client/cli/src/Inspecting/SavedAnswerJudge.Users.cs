using Optiks.Client;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Cli.Inspecting;

internal sealed partial class SavedAnswerJudge
{
    private Judgement Users(UserLookupAnswer answer, byte[] octets, IReadOnlyList<ReadOnlyMemory<byte>> names)
    {
        RequireWhole(answer.Head);
        RequireKeys(names, answer.Users.Count);
        if (answer.Users.Any(user => user.Name is null && user.Generations is null))
        {
            throw new UsageException(
                "This answer leans on what its client knew of a user, and has not all of it: only an answer to a question without known can be judged alone.");
        }
        VerifierContext context = Context([answer.Head.Record, .. answer.Parts.Select(part => part.Record)]);
        UsersVerdict verdict = UserVerifier.Lookup(
            context, [.. names.Select(name => new UserQuestion(Form(name)) { Device = _device })], octets);
        return ToJudgement("user lookup answer", verdict.Reason, verdict.Head,
            [.. verdict.Users.Select((user, i) => Judged(names[i], user, answer.Users[i].Generations, octets) with
        {
            Epoch = user.Epoch,
            Time = Time(
                FindTime(answer.Parts.Select(part => part.Record).Append(answer.Head.Record)
                    .First(record => EpochRecord.ReadEpoch(record.Span) == user.Epoch))),
        })]);
    }

    private Judgement OwnUser(UserMonitorAnswer answer, byte[] octets, IReadOnlyList<ReadOnlyMemory<byte>> names)
    {
        RequireWhole(answer.Head);
        if (_user.IsEmpty)
        {
            throw new UsageException(
                "This answer was given to the owner of a user: name the user with --user-b64 ID, and the usernames that were asked for, in their order.");
        }
        if (answer.Devices is { From: > 1 } || answer.Keys.Any(key => key.From > 1))
        {
            throw new UsageException("This answer goes on with what its client had been shown before, and cannot be judged alone.");
        }
        RequireKeys(names, answer.Names.Count);
        UserMonitorVerdict verdict = UserVerifier.Monitor(
            ForEndedPeriod(Context([answer.Head.Record])), new OwnUserQuestion(_user) { Names = [.. names.Select(Form)] }, octets);
        Judgement judgement = ToJudgement("user monitor answer", verdict.Reason, verdict.Head,
            verdict.User is { } user ? [Judged(user, verdict.Head!.Period, octets)] : [], _endedRecord is not null);
        return verdict.User is not { Complete: false }
            ? judgement
            : judgement with { NotChecked = $"whether these are all versions: it is a page, which is no result, {judgement.NotChecked}" };
    }

    private static JudgedKey Judged(ReadOnlyMemory<byte> name, VerifiedUser user, Generations? generations, byte[] octets)
    {
        UserDevice[] devices = [.. user.Devices.Select(device => new UserDevice(
            device.Device, device.Key.Version, device.Key.LeafEpoch,
            device.Key.Value is { } range ? octets.AsMemory(range) : default(ReadOnlyMemory<byte>?), false))];
        var judged = new JudgedUser(user.Kind == UserKind.None ? default(ReadOnlyMemory<byte>?) : user.UserId, user.Kind == UserKind.Left,
            user.ListVersion.Version, devices, [], [])
        { Earlier = generations?.Earlier ?? [] };
        return new JudgedKey(name, user.Kind == UserKind.None ? "absent" : "present", user.ListVersion.Version, null) { User = judged };
    }

    private JudgedKey Judged(VerifiedOwnUser user, ulong period, byte[] octets)
    {
        KeyVersion[] Versions(VerifiedVersions shown) =>
            [.. shown.Members.Select(
                member => new KeyVersion(member.Version, member.LeafEpoch,
                    member.Value is { } range ? octets.AsMemory(range) : default(ReadOnlyMemory<byte>?)) { Period = period })];

        UserListVersion[] lists = user.List is null
            ? []
            : [.. Versions(user.List)
                .Select(version => new UserListVersion(
                    version.Version, version.Epoch, version.Value is { } value ? DeviceList.Decode(value) : null) { Period = period })];
        var judged = new JudgedUser(_user, user.HasLeft, user.List is { } list ? Shown(list) ?? 0 : 0, [], lists,
            [.. user.Devices.Select(device => new UserDeviceVersions(device.Device, Versions(device.Key)))]);
        return new JudgedKey(_user, "valid", judged.ListVersion, null) { User = judged };
    }

    private ReadOnlyMemory<byte> Form(ReadOnlyMemory<byte> name) =>
        Usernames.Prepare(_anchor.Configuration, name.Span, out byte[] form) is var fault and not UsernameFault.Valid
        ? throw new UsageException($"{DisplayText.Show(name.Span)}: {fault.Sentence()}")
        : form;

    // Without a clock, the time of the latest record counts as the present, because a part of the answer may be later than the head.
    private VerifierContext Context(IReadOnlyList<ReadOnlyMemory<byte>> records) =>
        new() { Anchor = _anchor, NowMs = _now ?? records.Max(FindTime) };
}
