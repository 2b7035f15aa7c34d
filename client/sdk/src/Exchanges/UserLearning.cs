using System.Collections.Immutable;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Compares the verified users of one answer, in the order of the answer, with the client's state (docs/spec/state.md section 1), and
/// collects the new state. An instance serves one answer. Not thread-safe.
/// </summary>
internal sealed class UserLearning
{
    private readonly ClientState _seen;
    private readonly ulong _period;
    private readonly ulong _earliest;
    private readonly List<ReadOnlyMemory<byte>> _values = [];
    private readonly Dictionary<string, NameState> _names = new(StringComparer.Ordinal);
    private readonly Dictionary<string, UserState> _users = new(StringComparer.Ordinal);
    private readonly Dictionary<string, KeyState> _keys = new(StringComparer.Ordinal);
    private readonly HashSet<(string Name, string User)> _passedOn = [];

    /// <summary>Begins the comparison of one answer with the client's state.</summary>
    /// <param name="seen">The client's state.</param>
    /// <param name="period">Period of the answer's records.</param>
    /// <param name="earliest">
    /// Epoch of the earliest record of the answer. Everything that the answer shows was proven at this epoch or a later epoch.
    /// </param>
    public UserLearning(ClientState seen, ulong period, ulong earliest)
    {
        _seen = seen;
        _period = period;
        _earliest = earliest;
    }

    /// <summary>The values that the new state refers to by hash, and the old state does not.</summary>
    public IReadOnlyCollection<ReadOnlyMemory<byte>> NewValues => _values;

    /// <summary>Judges one user of the answer. If any user is refused, callers must not use anything of the answer.</summary>
    public Reason Take(
        KeyName username, RememberedUser remembered, VerifiedUser shown, IReadOnlyList<EarlierUser> earlier, ReadOnlyMemory<byte> answer,
        out UserAnswer result)
    {
        KeyName? user = shown.Kind == UserKind.None ? null : KeyName.OfVerified(shown.UserId);
        result = new UserAnswer(shown.Kind, user?.Octets, shown.Epoch, null, []) { Earlier = earlier };
        NameState? name = Find(_names, _seen.Names, username.Id);
        if (name is not null && shown.Epoch < name.LeastEpoch)
        {
            return Reason.Stale;
        }
        if (shown.Generation < (name?.Generation ?? 0))
        {
            return Reason.VersionRegressed;
        }
        // For the kept generation of the name, the answer must show the kept user.
        string? then = name?.Generation is { } generation && generation < shown.Generation
            ? Base64UrlText.Encode(earlier[(int)generation - 1].User.Span)
            : user?.Id;
        if (name?.User is { } known && known != then)
        {
            return Reason.UserChanged;
        }
        _names[username.Id] = new NameState
        {
            LeastEpoch = shown.Epoch,
            User = user?.Id,
            Generation = shown.Generation > 0 ? shown.Generation : null,
            ProvenEpoch = user is null ? null : remembered.LeavesOutName ? name?.ProvenEpoch : _earliest,
        };
        Reason reason = TakeEarlier(username, earlier, shown.Epoch);
        return reason != Reason.Valid || user is null ? reason : TakeUser(user.Value, remembered, shown, answer, ref result);
    }

    // Records that earlier users of the name have left, but only if the state has these users among its looked-up or owned users.
    private Reason TakeEarlier(KeyName username, IReadOnlyList<EarlierUser> earlier, ulong epoch)
    {
        foreach (EarlierUser one in earlier)
        {
            KeyName user = KeyName.OfVerified(one.User);
            UserState? before = Find(_users, _seen.Users, user.Id);
            if (before is null && !_seen.OwnedUsers.ContainsKey(user.Id))
            {
                continue;
            }
            if (before is not null && epoch < before.LeastEpoch)
            {
                return Reason.Stale;
            }
            _users[user.Id] = new UserState { LeftEpoch = epoch };
            _passedOn.Add((username.Id, user.Id));
        }
        return Reason.Valid;
    }

    /// <summary>
    /// Returns the current state with the new knowledge; null if the current state differs from the state with which the answer was
    /// compared.
    /// </summary>
    public ClientState? ApplyTo(ClientState current)
    {
        ImmutableDictionary<string, NameState>? names = Apply(_seen.Names, current.Names, _names);
        ImmutableDictionary<string, UserState>? users = Apply(_seen.Users, current.Users, _users);
        ImmutableDictionary<string, KeyState>? keys = Apply(_seen.Keys, current.Keys, _keys);
        return names is null || users is null || keys is null ? null
            : Note(ReferenceEquals(names, current.Names) && ReferenceEquals(users, current.Users) && ReferenceEquals(keys, current.Keys)
                ? current
                : current with { Names = names, Users = users, Keys = keys });
    }

    // Any lookup must raise an alarm for the owner if the owner's user has left, or a name of the owner leads to another user. A name that
    // was reassigned after its user had left raises no alarm.
    private ClientState Note(ClientState next)
    {
        foreach ((string name, NameState state) in _names)
        {
            next = state.User is { } user
                ? OwnedUserRules.NoteName(next, name, user, state.LeastEpoch, owned => _passedOn.Contains((name, owned)))
                : next;
        }
        foreach ((string user, UserState state) in _users)
        {
            next = OwnedUserRules.NoteSeen(next, user, _period);
            next = state.LeftEpoch is { } epoch ? OwnedUserRules.NoteLeft(next, user, epoch) : next;
        }
        return next;
    }

    private Reason TakeUser(KeyName user, RememberedUser remembered, VerifiedUser shown, ReadOnlyMemory<byte> answer, ref UserAnswer result)
    {
        UserState? before = Find(_users, _seen.Users, user.Id);
        if (before is not null && shown.Epoch < before.LeastEpoch)
        {
            return Reason.Stale;
        }
        if (shown.Kind == UserKind.Left)
        {
            _users[user.Id] = new UserState { LeftEpoch = shown.Epoch };
            return Reason.Valid;
        }
        if (before?.LeftEpoch is not null)
        {
            return Reason.UserReturned;
        }
        if (KeyRules.IsLost(before?.Devices, _period, shown.ListVersion.BeginsWithCopy))
        {
            return Reason.HandoverMissing;
        }
        if (!KeyRules.TryLearn(before?.Devices, null, shown.ListVersion, shown.List.ToArray(), _period, shown.Epoch, shown.ListEpoch,
            out KeyState list, out Reason reason))
        {
            return reason;
        }
        Keep(shown.ListVersion, shown.List);
        _users[user.Id] =
            new UserState
            {
                Devices =
                list with { ProvenEpoch = remembered.Question.ListVersion.Version > 0 ? before?.Devices?.ProvenEpoch : _earliest }
            };
        var devices = new List<UserDevice>(shown.Devices.Count);
        foreach (VerifiedDevice device in shown.Devices)
        {
            reason = TakeDevice(device, remembered, shown.Epoch, answer, devices);
            if (reason != Reason.Valid)
            {
                return reason;
            }
        }
        result = result with { List = list, Devices = devices };
        return Reason.Valid;
    }

    private Reason TakeDevice(
        VerifiedDevice device, RememberedUser remembered, ulong epoch, ReadOnlyMemory<byte> answer, List<UserDevice> devices)
    {
        KeyName name = KeyName.OfVerified(device.Device);
        bool unchanged = device.Key.Version > 0 && device.Key.Value is null;
        byte[]? value = unchanged ? remembered.Values[name.Id] : device.Key.Value is { } range ? answer[range].ToArray() : null;
        KeyState? before = Find(_keys, _seen.Keys, name.Id);
        if (!KeyRules.TryLearn(before, _seen.Owned.GetValueOrDefault(name.Id), device.Key, value, _period, epoch, device.RecordEpoch,
            out KeyState after, out Reason reason))
        {
            return reason;
        }
        if (value is not null)
        {
            Keep(device.Key, value);
        }
        // If the server left out proofs, the client had already verified these proofs at the epoch of the last answer that had all proofs.
        _keys[name.Id] = after with { ProvenEpoch = remembered.LeftOut.Contains(name.Id) ? before?.ProvenEpoch : _earliest };
        devices.Add(
            new UserDevice(name.Octets, after.Version, after.PublishedEpoch, value is null ? default(ReadOnlyMemory<byte>?) : value,
                unchanged));
        return Reason.Valid;
    }

    private void Keep(VerifiedLookup lookup, ReadOnlyMemory<byte> value)
    {
        if (lookup.Value is not null)
        {
            _values.Add(value);
        }
    }

    private static T? Find<T>(Dictionary<string, T> learnt, ImmutableDictionary<string, T> seen, string id)
        where T : class => learnt.GetValueOrDefault(id) ?? seen.GetValueOrDefault(id);

    private static ImmutableDictionary<string, T>? Apply<T>(
        ImmutableDictionary<string, T> seen, ImmutableDictionary<string, T> current, Dictionary<string, T> learnt)
        where T : class
    {
        ImmutableDictionary<string, T> next = current;
        foreach ((string id, T after) in learnt)
        {
            T? now = current.GetValueOrDefault(id);
            if (!Equals(now, seen.GetValueOrDefault(id)))
            {
                return null;
            }
            if (!Equals(now, after))
            {
                next = next.SetItem(id, after);
            }
        }
        return next;
    }
}
