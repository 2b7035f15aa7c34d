using System.Collections.Immutable;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>UserMonitorExchange asks for one page of what an owner is shown of its own user (docs/spec/user-monitor.md).</summary>
internal sealed class UserMonitorExchange : VerifiedExchange<UserMonitorExchange.Learnt>
{
    private readonly OwnUserPages _pages;
    private readonly Func<ClientState, OwnUserShown, ClientState> _remember;

    /// <param name="pages">The pages so far.</param>
    /// <param name="remember">What the caller makes of a result, beside what any answer makes of it.</param>
    public UserMonitorExchange(OwnUserPages pages, Func<ClientState, OwnUserShown, ClientState> remember)
    {
        _pages = pages;
        _remember = remember;
        LeastEpoch = pages.Epoch;
    }

    public override string Path => "/v1/users/monitor";

    public override string MediaType => MediaTypes.UserMonitor;

    public override string BodyMediaType => MediaTypes.UserMonitorQuery;

    public override bool NeedsAuthorization => true;

    public override byte[] Body(ClientState seen) => _pages.Query.Encode();

    public override Checked<Learnt> Verify(VerifierContext context, ClientState seen, ReadOnlyMemory<byte> answer)
    {
        OwnUserQuestion question = _pages.Question;
        UserState? user = seen.Users.GetValueOrDefault(_pages.User.Id);
        question = question with { LeastEpoch = LeastOf(seen, question, user), HasLeft = user?.LeftEpoch is not null };
        UserMonitorVerdict verdict = Verifier.UserMonitor(context, question, answer.Span);
        if (verdict.Reason != Reason.Valid)
        {
            return new(verdict.Reason, null, null, null);
        }
        VerifiedHead head = verdict.Head!;
        var page = OwnUserPage.Of(head, verdict.User!, answer);
        if (!page.Complete)
        {
            return new(Reason.Valid, head, new Learnt(page, null), null);
        }
        Reason reason = Learn(seen, _pages.End(page), user, out Result? result);
        return reason == Reason.Valid ? new(reason, head, new Learnt(page, result), null) : new(reason, null, null, null);
    }

    public override ClientState? Remember(ClientState seen, ClientState current, VerifiedHead head, Learnt learnt)
    {
        if (learnt.Result is not { } result)
        {
            return current;
        }
        string user = _pages.User.Id;
        // All of it was compared with what was kept then.
        bool moved = current.Users.GetValueOrDefault(user) != seen.Users.GetValueOrDefault(user)
            || result.Keys.Keys.Any(id => current.Keys.GetValueOrDefault(id) != seen.Keys.GetValueOrDefault(id));
        return moved ? null : _remember(current with { Users = current.Users.SetItem(user, result.User), Keys = current.Keys.SetItems(result.Keys) }, result.Shown);
    }

    public override IReadOnlyCollection<ReadOnlyMemory<byte>> Values(Learnt learnt) => learnt.Result?.Values ?? [];

    private ulong LeastOf(ClientState seen, OwnUserQuestion question, UserState? user)
    {
        ulong least = Math.Max(question.LeastEpoch, Math.Max(user?.LeastEpoch ?? 0, seen.OwnedUsers.GetValueOrDefault(_pages.User.Id)?.LeastEpoch ?? 0));
        return question.Keys.Aggregate(least, (most, device) => Math.Max(most, seen.LeastEpoch(Base64UrlText.Encode(device.Device.Span))));
    }

    // What is to be kept of a result, as of a lookup.
    private static Reason Learn(ClientState seen, OwnUserShown shown, UserState? before, out Result? result)
    {
        result = null;
        if (shown.HasLeft)
        {
            result = new Result(shown, new UserState { LeftEpoch = shown.Epoch }, ImmutableDictionary<string, KeyState>.Empty, []);
            return Reason.Valid;
        }
        Reason reason = KeyRules.Learn(before?.Devices, OwnedUserRules.ListState(seen.OwnedUsers.GetValueOrDefault(shown.User.Id)), shown.List, shown.Period, shown.Epoch, out KeyState list);
        if (reason != Reason.Valid)
        {
            return reason;
        }
        var values = new List<ReadOnlyMemory<byte>> { shown.LatestList };
        var keys = ImmutableDictionary.CreateBuilder<string, KeyState>();
        foreach ((string id, OwnUserDevice device) in shown.Devices)
        {
            KeyState? kept = seen.Keys.GetValueOrDefault(id);
            KeyState? owned = seen.Owned.TryGetValue(id, out OwnedKey? key) ? KeyRules.OfOwned(key) : null;
            if (device.Epoch < shown.Epoch)
            {
                // It left the list while pages were read: of its key a later answer may know more by now.
                if (!KeyRules.Agree(kept, owned, device.Ended, shown.Period))
                {
                    return Reason.VersionRegressed;
                }
                continue;
            }
            reason = KeyRules.Learn(kept, owned, device.Ended, shown.Period, shown.Epoch, out KeyState after);
            if (reason != Reason.Valid)
            {
                return reason;
            }
            keys[id] = after;
            if (device.Ended.Versions is [.., { Version.Value: { } value }])
            {
                values.Add(value);
            }
        }
        // Octets that were brought are not among the versions shown.
        list = list with { ValueSha256 = ValueHash.Of(shown.LatestList.Span) };
        result = new Result(shown, new UserState { Devices = list }, keys.ToImmutable(), values);
        return Reason.Valid;
    }

    /// <summary>Learnt is a page, with the result that it ends; null: there is none yet.</summary>
    internal sealed record Learnt(OwnUserPage Page, Result? Result);

    /// <summary>Result with what is to be kept of it.</summary>
    internal sealed record Result(OwnUserShown Shown, UserState User, ImmutableDictionary<string, KeyState> Keys, IReadOnlyCollection<ReadOnlyMemory<byte>> Values);
}
