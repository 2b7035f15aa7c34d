using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>
/// Everything that a client remembers of one log. Immutable; a store replaces the whole state. Keys are stored as base64url of their
/// octets.
/// </summary>
public sealed record ClientState
{
    private ImmutableHashSet<StructureKey>? _ownedChains;
    private ImmutableHashSet<string>? _ownedPersons;

    /// <summary>The log's id in base64url. The client never uses the state of one log with another log.</summary>
    public required string LogId { get; init; }

    /// <summary>The head that the client verified last; null before the first head.</summary>
    public HeadState? Head { get; init; }

    /// <summary>The keys and device lists that this client looked up or owns.</summary>
    public ImmutableDictionary<StructureKey, Chain> Chains
    {
        get; init
        {
            field = value;
            _ownedChains = null;
        }
    } = ImmutableDictionary<StructureKey, Chain>.Empty;

    /// <summary>The users that have left or that this client owns, by user id.</summary>
    public ImmutableDictionary<string, Person> Persons
    {
        get; init
        {
            field = value;
            _ownedPersons = null;
        }
    } = ImmutableDictionary<string, Person>.Empty;

    /// <summary>The usernames that this client looked up.</summary>
    public ImmutableDictionary<string, NameState> Names { get; init; } =
        ImmutableDictionary<string, NameState>.Empty;

    /// <summary>
    /// The statements that the client took from answers about its owner's keys, users and names. A statement proves that a leaf is present
    /// in a tree or absent from it. For each key, the state keeps at most <see cref="LeafRules.MaxVersions"/> statements that a leaf is
    /// present, and one statement that a leaf is absent.
    /// </summary>
    public ImmutableDictionary<StructureKey, ImmutableArray<KeptLeaf>> Leaves { get; init; } =
        ImmutableDictionary<StructureKey, ImmutableArray<KeptLeaf>>.Empty;

    /// <summary>
    /// Notes of changes that were made with this state, by key and in the order of their numbers. The client never drops a note.
    /// </summary>
    public ImmutableDictionary<string, ImmutableArray<KeptNote>> Notes { get; init; } =
        ImmutableDictionary<string, ImmutableArray<KeptNote>>.Empty;

    /// <summary>
    /// The records of the last epochs of ended periods, by period. The state keeps such a record only as long as an owner still has to
    /// continue from its period.
    /// </summary>
    public ImmutableArray<byte[]> PeriodEnds { get; init; } = [];

    /// <summary>
    /// The cosigners of the client's policy, by verifier key, each with the newest checkpoint by this cosigner that the client knows.
    /// </summary>
    public ImmutableDictionary<string, CosignerState> Cosigners { get; init; } =
        ImmutableDictionary<string, CosignerState>.Empty;

    /// <summary>The answers that the client believed and that too few auditors cover yet, oldest first.</summary>
    public ImmutableArray<Belief> Unaudited { get; init; } = [];

    /// <summary>The fork, or another proof against the log, that the client found; null if it found no proof.</summary>
    public ForkState? Fork { get; init; }

    /// <summary>The chains that have an owner's part. A state may know many more chains, so this is no search.</summary>
    internal ImmutableHashSet<StructureKey> OwnedChains =>
        _ownedChains ??= [.. Chains.Where(chain => chain.Value.Own is not null).Select(chain => chain.Key)];

    /// <summary>The ids of the users that have an owner's part.</summary>
    internal ImmutableHashSet<string> OwnedPersons =>
        _ownedPersons ??= [.. Persons.Where(person => person.Value.Own is not null).Select(person => person.Key)];

    /// <summary>Returns what answers showed last of a chain; null if no answer showed it.</summary>
    internal Seen? SeenOf(StructureKey key) => Chains.GetValueOrDefault(key)?.Seen;

    /// <summary>Returns the owner's part of a chain; null if this client does not own the chain.</summary>
    internal Own? OwnOf(StructureKey key) => Chains.GetValueOrDefault(key)?.Own;

    /// <summary>Returns the owner's part of a user; null if this client does not own the user.</summary>
    internal OwnPerson? OwnPersonOf(string user) => Persons.GetValueOrDefault(user)?.Own;

    /// <summary>Returns the epoch of the last answer that showed that a user has left; null if no answer showed that.</summary>
    internal ulong? LeftEpochOf(string user) => Persons.GetValueOrDefault(user)?.LeftEpoch;

    /// <summary>Returns the least epoch that the client may accept in an answer about a key.</summary>
    internal ulong LeastEpoch(string key) => SeenOf(StructureKey.OfKey(key))?.LeastEpoch ?? 0;

    /// <summary>Returns the least epoch that the client may accept in an answer about a user.</summary>
    internal ulong LeastEpochOfUser(string user) =>
        Math.Max(LeftEpochOf(user) ?? 0, SeenOf(StructureKey.OfList(user))?.LeastEpoch ?? 0);

    /// <summary>Returns the state with what an answer showed of a chain; null drops what earlier answers showed.</summary>
    internal ClientState SetSeen(StructureKey key, Seen? seen) =>
        Set(key, seen, OwnOf(key), !Equals(seen, SeenOf(key)));

    /// <summary>Returns the state with the owner's part of a chain; null drops this part.</summary>
    internal ClientState SetOwn(StructureKey key, Own? own) =>
        Set(key, SeenOf(key), own, !ReferenceEquals(own, OwnOf(key)));

    /// <summary>Returns the state with this state of a user.</summary>
    internal ClientState SetPerson(string user, Person person)
    {
        if (ReferenceEquals(person, Persons.GetValueOrDefault(user)))
        {
            return this;
        }
        ClientState next = this with { Persons = Persons.SetItem(user, person) };
        next._ownedPersons = person.Own is null ? OwnedPersons.Remove(user) : OwnedPersons.Add(user);
        return next;
    }

    /// <summary>Returns the state with the epoch of the last answer that showed that a user has left.</summary>
    internal ClientState SetLeft(string user, ulong? left) => left == LeftEpochOf(user)
        ? this
        : SetPerson(user, (Persons.GetValueOrDefault(user) ?? new Person()) with { LeftEpoch = left });

    /// <summary>Returns the state with the owner's part of a user.</summary>
    internal ClientState SetOwnPerson(string user, OwnPerson own) => ReferenceEquals(own, OwnPersonOf(user))
        ? this
        : SetPerson(user, (Persons.GetValueOrDefault(user) ?? new Person()) with { Own = own });

    /// <summary>Returns the hashes of all stored values to which the state refers.</summary>
    internal IEnumerable<string> ValueNames() =>
        Chains.Values.Select(chain => chain.Seen?.At.ValueSha256).OfType<string>()
            .Concat(Leaves.Values.SelectMany(leaves => leaves).Select(leaf => leaf.Sha256));

    private ClientState Set(StructureKey key, Seen? seen, Own? own, bool isChanged)
    {
        if (!isChanged)
        {
            return this;
        }
        ClientState next = this with
        {
            Chains = seen is null && own is null ? Chains.Remove(key) : Chains.SetItem(key, new Chain { Seen = seen, Own = own }),
        };
        next._ownedChains = own is null ? OwnedChains.Remove(key) : OwnedChains.Add(key);
        return next;
    }
}
