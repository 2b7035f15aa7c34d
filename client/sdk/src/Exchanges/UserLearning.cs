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
    private readonly Dictionary<string, ulong?> _users = new(StringComparer.Ordinal);
    private readonly Dictionary<StructureKey, Seen?> _chains = [];
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
        NameState? name = _names.GetValueOrDefault(username.Id) ?? _seen.Names.GetValueOrDefault(username.Id);
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
            (ulong? left, Seen? list) = Find(user);
            if (left is null && list is null && _seen.OwnPersonOf(user.Id) is null)
            {
                continue;
            }
            if (epoch < left || epoch < list?.LeastEpoch)
            {
                return Reason.Stale;
            }
            Leave(user, epoch);
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
        if (_names.Keys.Any(name => current.Names.GetValueOrDefault(name) != _seen.Names.GetValueOrDefault(name))
            || _users.Keys.Any(user => current.LeftEpochOf(user) != _seen.LeftEpochOf(user))
            || _chains.Keys.Any(chain => current.SeenOf(chain) != _seen.SeenOf(chain)))
        {
            return null;
        }
        KeyValuePair<string, NameState>[] names = [.. _names.Where(name => name.Value != current.Names.GetValueOrDefault(name.Key))];
        ClientState next = names.Length == 0 ? current : current with { Names = current.Names.SetItems(names) };
        next = _users.Aggregate(next, (state, user) => state.SetLeft(user.Key, user.Value));
        return Note(_chains.Aggregate(next, (state, chain) => state.SetSeen(chain.Key, chain.Value)));
    }

    // Any lookup must raise an alarm for the owner if the owner's user has left, or a name of the owner leads to another user. A name that
    // was reassigned after its user had left raises no alarm.
    private ClientState Note(ClientState next)
    {
        foreach ((string name, NameState state) in _names)
        {
            next = state.User is { } user
                ? PersonRules.NoteName(next, name, user, state.LeastEpoch, owned => _passedOn.Contains((name, owned)))
                : next;
        }
        foreach ((string user, ulong? left) in _users)
        {
            next = PersonRules.NoteSeen(next, user, _period);
            next = left is { } epoch ? PersonRules.NoteLeft(next, user, epoch) : next;
        }
        return next;
    }

    private Reason TakeUser(KeyName user, RememberedUser remembered, VerifiedUser shown, ReadOnlyMemory<byte> answer, ref UserAnswer result)
    {
        (ulong? left, Seen? before) = Find(user);
        if (shown.Epoch < left || shown.Epoch < before?.LeastEpoch)
        {
            return Reason.Stale;
        }
        if (shown.Kind == UserKind.Left)
        {
            Leave(user, shown.Epoch);
            return Reason.Valid;
        }
        if (left is not null)
        {
            return Reason.UserReturned;
        }
        if (LearnRules.IsLost(before?.At, _period, shown.ListVersion.BeginsWithCopy))
        {
            return Reason.HandoverMissing;
        }
        var chain = StructureKey.OfList(user.Id);
        if (!LearnRules.TryLearn(before, _seen.OwnOf(chain)?.At, shown.ListVersion, shown.List.ToArray(), _period, shown.Epoch,
            shown.ListEpoch, out Seen list, out Reason reason))
        {
            return reason;
        }
        Keep(shown.ListVersion, shown.List);
        ulong? proven = remembered.Question.ListVersion.Version > 0 ? before?.At.ProvenEpoch : _earliest;
        _users[user.Id] = null;
        _chains[chain] = list with { At = list.At with { ProvenEpoch = proven } };
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
        var chain = StructureKey.OfKey(name.Id);
        Seen? before = Find(chain);
        if (!LearnRules.TryLearn(before, _seen.OwnOf(chain)?.At, device.Key, value, _period, epoch, device.RecordEpoch, out Seen after,
            out Reason reason))
        {
            return reason;
        }
        if (value is not null)
        {
            Keep(device.Key, value);
        }
        // If the server left out proofs, the client had already verified these proofs at the epoch of the last answer that had all proofs.
        ulong? proven = remembered.LeftOut.Contains(name.Id) ? before?.At.ProvenEpoch : _earliest;
        _chains[chain] = after with { At = after.At with { ProvenEpoch = proven } };
        devices.Add(
            new UserDevice(name.Octets, after.At.Version, after.PublishedEpoch, value is null ? default(ReadOnlyMemory<byte>?) : value,
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

    // The users of one answer are compared with each other, too.
    private Seen? Find(StructureKey chain) => _chains.TryGetValue(chain, out Seen? learnt) ? learnt : _seen.SeenOf(chain);

    private (ulong? Left, Seen? List) Find(KeyName user) =>
        (_users.TryGetValue(user.Id, out ulong? left) ? left : _seen.LeftEpochOf(user.Id), Find(StructureKey.OfList(user.Id)));

    // Keeps nothing of the list of a user who has left.
    private void Leave(KeyName user, ulong epoch)
    {
        _users[user.Id] = epoch;
        _chains[StructureKey.OfList(user.Id)] = null;
    }
}
