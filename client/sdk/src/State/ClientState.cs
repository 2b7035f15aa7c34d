using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>
/// Everything that a client remembers of one log. Immutable; a store replaces the whole state. Keys are stored as base64url of their
/// octets. An earlier version of this library may have written a state file that lacks a member; the member then becomes empty. So each
/// setter must replace null by an empty value, because the JSON reader sets every member and thereby overwrites the initial value.
/// </summary>
public sealed record ClientState
{
    /// <summary>The log's id in base64url. The client never uses the state of one log with another log.</summary>
    public required string LogId { get; init; }

    /// <summary>The head that the client verified last; null before the first head.</summary>
    public HeadState? Head { get; init; }

    /// <summary>The keys that this client looked up.</summary>
    public ImmutableDictionary<string, KeyState> Keys
    {
        get; init =>
        field = value ?? ImmutableDictionary<string, KeyState>.Empty;
    } = ImmutableDictionary<string, KeyState>.Empty;

    /// <summary>The owned keys: keys that were updated or monitored with this state.</summary>
    public ImmutableDictionary<string, OwnedKey> Owned
    {
        get; init =>
        field = value ?? ImmutableDictionary<string, OwnedKey>.Empty;
    } = ImmutableDictionary<string, OwnedKey>.Empty;

    /// <summary>The usernames that this client looked up.</summary>
    public ImmutableDictionary<string, NameState> Names
    {
        get; init =>
        field = value ?? ImmutableDictionary<string, NameState>.Empty;
    } = ImmutableDictionary<string, NameState>.Empty;

    /// <summary>The users that this client looked up, by user id. The keys of their devices are among <see cref="Keys"/>.</summary>
    public ImmutableDictionary<string, UserState> Users
    {
        get; init =>
        field = value ?? ImmutableDictionary<string, UserState>.Empty;
    } = ImmutableDictionary<string, UserState>.Empty;

    /// <summary>The users that were changed or monitored with this state, by user id.</summary>
    public ImmutableDictionary<string, OwnedUser> OwnedUsers
    {
        get; init =>
        field = value ?? ImmutableDictionary<string, OwnedUser>.Empty;
    } = ImmutableDictionary<string, OwnedUser>.Empty;

    /// <summary>
    /// The statements that the client took from answers about its owner's keys and users, by structure and key. A statement proves that a
    /// leaf is present in a tree or absent from it. For each key, the state keeps at most <see cref="LeafRules.MaxVersions"/> statements
    /// that a leaf is present, and one statement that a leaf is absent.
    /// </summary>
    public ImmutableDictionary<string, ImmutableArray<KeptLeaf>> Leaves
    {
        get; init =>
        field = value ?? ImmutableDictionary<string, ImmutableArray<KeptLeaf>>.Empty;
    } =
            ImmutableDictionary<string, ImmutableArray<KeptLeaf>>.Empty;

    /// <summary>
    /// Notes of changes that were made with this state, by key and in the order of their numbers. The client never drops a note.
    /// </summary>
    public ImmutableDictionary<string, ImmutableArray<KeptNote>> Notes
    {
        get; init =>
        field = value ?? ImmutableDictionary<string, ImmutableArray<KeptNote>>.Empty;
    } =
            ImmutableDictionary<string, ImmutableArray<KeptNote>>.Empty;

    /// <summary>
    /// The records of the last epochs of ended periods, by period. The state keeps such a record only as long as an owner still has to
    /// continue from its period.
    /// </summary>
    public ImmutableArray<byte[]> PeriodEnds { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>
    /// The cosigners of the client's policy, by verifier key, each with the newest checkpoint by this cosigner that the client knows.
    /// </summary>
    public ImmutableDictionary<string, CosignerState> Cosigners
    {
        get; init =>
        field = value ?? ImmutableDictionary<string, CosignerState>.Empty;
    } = ImmutableDictionary<string, CosignerState>.Empty;

    /// <summary>The answers that the client believed and that too few auditors cover yet, oldest first.</summary>
    public ImmutableArray<Belief> Unaudited { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>The fork, or another proof against the log, that the client found; null if it found no proof.</summary>
    public ForkState? Fork { get; init; }

    /// <summary>Returns the least epoch that the client may accept in an answer about a key.</summary>
    internal ulong LeastEpoch(string key) => Keys.TryGetValue(key, out KeyState? state) ? state.LeastEpoch : 0;

    /// <summary>Returns the hashes of all stored values to which the state refers.</summary>
    internal IEnumerable<string> ValueNames() =>
        Keys.Values.Concat(Users.Values.Select(user => user.Devices).OfType<KeyState>()).Select(state => state.ValueSha256).OfType<string>()
            .Concat(Leaves.Values.SelectMany(leaves => leaves).Select(leaf => leaf.Sha256));
}
