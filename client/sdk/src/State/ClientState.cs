using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>
/// ClientState is everything a client remembers of one log. Immutable; a store replaces it whole. Keys are base64url of their octets. A member that a state file of an earlier version does not have is
/// empty: where it is set, and not as the initial value alone, because the JSON reader sets every member.
/// </summary>
public sealed record ClientState
{
    /// <summary>LogId in base64url: state of one log is never used with another.</summary>
    public required string LogId { get; init; }

    /// <summary>Head verified last; null at first.</summary>
    public HeadState? Head { get; init; }

    /// <summary>Keys that were looked up.</summary>
    public ImmutableDictionary<string, KeyState> Keys { get; init => field = value ?? ImmutableDictionary<string, KeyState>.Empty; } = ImmutableDictionary<string, KeyState>.Empty;

    /// <summary>Owned keys: updated or monitored here.</summary>
    public ImmutableDictionary<string, OwnedKey> Owned { get; init => field = value ?? ImmutableDictionary<string, OwnedKey>.Empty; } = ImmutableDictionary<string, OwnedKey>.Empty;

    /// <summary>Names: usernames that were looked up.</summary>
    public ImmutableDictionary<string, NameState> Names { get; init => field = value ?? ImmutableDictionary<string, NameState>.Empty; } = ImmutableDictionary<string, NameState>.Empty;

    /// <summary>Users that were looked up, by user id. The keys of their devices are among <see cref="Keys"/>.</summary>
    public ImmutableDictionary<string, UserState> Users { get; init => field = value ?? ImmutableDictionary<string, UserState>.Empty; } = ImmutableDictionary<string, UserState>.Empty;

    /// <summary>OwnedUsers, by user id: changed here.</summary>
    public ImmutableDictionary<string, OwnedUser> OwnedUsers { get; init => field = value ?? ImmutableDictionary<string, OwnedUser>.Empty; } = ImmutableDictionary<string, OwnedUser>.Empty;

    /// <summary>Leaves are statements about what an owner was shown of its own, by structure and key: at most <see cref="LeafRules.MaxVersions"/> of present ones of a key, and one of an absent one.</summary>
    public ImmutableDictionary<string, ImmutableArray<KeptLeaf>> Leaves { get; init => field = value ?? ImmutableDictionary<string, ImmutableArray<KeptLeaf>>.Empty; } = ImmutableDictionary<string, ImmutableArray<KeptLeaf>>.Empty;

    /// <summary>Notes of changes that were made here, by key: in the order of their numbers. None is dropped.</summary>
    public ImmutableDictionary<string, ImmutableArray<KeptNote>> Notes { get; init => field = value ?? ImmutableDictionary<string, ImmutableArray<KeptNote>>.Empty; } = ImmutableDictionary<string, ImmutableArray<KeptNote>>.Empty;

    /// <summary>PeriodEnds are records of the last epochs of periods that ended, by period: those from which an owner of something goes on.</summary>
    public ImmutableArray<byte[]> PeriodEnds { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>Cosigners of the client's policy, by verifier key: what each signed last, as far as this client knows.</summary>
    public ImmutableDictionary<string, CosignerState> Cosigners { get; init => field = value ?? ImmutableDictionary<string, CosignerState>.Empty; } = ImmutableDictionary<string, CosignerState>.Empty;

    /// <summary>Unaudited is what was believed and is not covered by enough auditors yet, oldest first.</summary>
    public ImmutableArray<Belief> Unaudited { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>Fork, or another proof against the log, that was found; null: none.</summary>
    public ForkState? Fork { get; init; }

    /// <summary>Least epoch that may be accepted for a key.</summary>
    internal ulong LeastEpoch(string key) => Keys.TryGetValue(key, out KeyState? state) ? state.LeastEpoch : 0;

    /// <summary>Names of all values that the state needs.</summary>
    internal IEnumerable<string> ValueNames() =>
        Keys.Values.Concat(Users.Values.Select(user => user.Devices).OfType<KeyState>()).Select(state => state.ValueSha256).OfType<string>()
            .Concat(Leaves.Values.SelectMany(leaves => leaves).Select(leaf => leaf.Sha256));
}
