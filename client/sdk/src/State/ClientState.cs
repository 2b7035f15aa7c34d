using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>
/// Everything that a client remembers of one log. Immutable; a store replaces it whole. Keys are base64url of their octets. A member that a
/// state file of an earlier version lacks becomes empty. That happens in the setter and not only by the initial value, because the JSON
/// reader sets every member.
/// </summary>
public sealed record ClientState
{
    /// <summary>The log's id in base64url: state of one log is never used with another.</summary>
    public required string LogId { get; init; }

    /// <summary>The head verified last; null at first.</summary>
    public HeadState? Head { get; init; }

    /// <summary>Keys that were looked up.</summary>
    public ImmutableDictionary<string, KeyState> Keys { get; init => field = value ?? ImmutableDictionary<string, KeyState>.Empty; } = ImmutableDictionary<string, KeyState>.Empty;

    /// <summary>Owned keys: updated or monitored here.</summary>
    public ImmutableDictionary<string, OwnedKey> Owned { get; init => field = value ?? ImmutableDictionary<string, OwnedKey>.Empty; } = ImmutableDictionary<string, OwnedKey>.Empty;

    /// <summary>Usernames that were looked up.</summary>
    public ImmutableDictionary<string, NameState> Names { get; init => field = value ?? ImmutableDictionary<string, NameState>.Empty; } = ImmutableDictionary<string, NameState>.Empty;

    /// <summary>Users that were looked up, by user id. The keys of their devices are among <see cref="Keys"/>.</summary>
    public ImmutableDictionary<string, UserState> Users { get; init => field = value ?? ImmutableDictionary<string, UserState>.Empty; } = ImmutableDictionary<string, UserState>.Empty;

    /// <summary>Users that were changed here, by user id.</summary>
    public ImmutableDictionary<string, OwnedUser> OwnedUsers { get; init => field = value ?? ImmutableDictionary<string, OwnedUser>.Empty; } = ImmutableDictionary<string, OwnedUser>.Empty;

    /// <summary>
    /// Statements about what an owner was shown of its own keys and users, by structure and key. A key has at most
    /// <see cref="LeafRules.MaxVersions"/> statements of presence, and one of absence.
    /// </summary>
    public ImmutableDictionary<string, ImmutableArray<KeptLeaf>> Leaves { get; init => field = value ?? ImmutableDictionary<string, ImmutableArray<KeptLeaf>>.Empty; } = ImmutableDictionary<string, ImmutableArray<KeptLeaf>>.Empty;

    /// <summary>Notes of changes that were made here, by key and in the order of their numbers. Notes are never dropped.</summary>
    public ImmutableDictionary<string, ImmutableArray<KeptNote>> Notes { get; init => field = value ?? ImmutableDictionary<string, ImmutableArray<KeptNote>>.Empty; } = ImmutableDictionary<string, ImmutableArray<KeptNote>>.Empty;

    /// <summary>Records of the last epochs of periods that ended, by period: those from which an owner still has to continue.</summary>
    public ImmutableArray<byte[]> PeriodEnds { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>
    /// Cosigners of the client's policy, by verifier key, each with the newest checkpoint that this client knows it signed.
    /// </summary>
    public ImmutableDictionary<string, CosignerState> Cosigners { get; init => field = value ?? ImmutableDictionary<string, CosignerState>.Empty; } = ImmutableDictionary<string, CosignerState>.Empty;

    /// <summary>Beliefs that too few auditors cover yet, oldest first.</summary>
    public ImmutableArray<Belief> Unaudited { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>The fork, or another proof against the log, that was found; null if none was.</summary>
    public ForkState? Fork { get; init; }

    /// <summary>Returns the least epoch that may be accepted for a key.</summary>
    internal ulong LeastEpoch(string key) => Keys.TryGetValue(key, out KeyState? state) ? state.LeastEpoch : 0;

    /// <summary>Returns the names of all values that the state needs.</summary>
    internal IEnumerable<string> ValueNames() =>
        Keys.Values.Concat(Users.Values.Select(user => user.Devices).OfType<KeyState>()).Select(state => state.ValueSha256).OfType<string>()
            .Concat(Leaves.Values.SelectMany(leaves => leaves).Select(leaf => leaf.Sha256));
}
