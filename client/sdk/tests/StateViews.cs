using System.Collections.Immutable;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>Shows parts of a client's state by id, and changes single chains, so that tests can say what they are about.</summary>
internal static class StateViews
{
    extension(ClientState state)
    {
        public IReadOnlyDictionary<string, Seen> SeenKeys => Select(state, StructureId.Keys, chain => chain.Seen);

        public IReadOnlyDictionary<string, Seen> SeenLists => Select(state, StructureId.Devices, chain => chain.Seen);

        public IReadOnlyDictionary<string, Own> OwnKeys => Select(state, StructureId.Keys, chain => chain.Own);

        public IReadOnlyDictionary<string, Own> OwnLists => Select(state, StructureId.Devices, chain => chain.Own);

        public IReadOnlyDictionary<string, OwnPerson> OwnPersons => state.Persons.Where(person => person.Value.Own is not null)
            .ToDictionary(person => person.Key, person => person.Value.Own!, StringComparer.Ordinal);

        public ClientState SeeList(string user, Seen list) => state.SetSeen(StructureKey.OfList(user), list);

        public ClientState SeeKey(string id, Seen key) => state.SetSeen(StructureKey.OfKey(id), key);

        public ClientState SeeLeft(string user, ulong epoch) => state.SetPerson(user, new Person { LeftEpoch = epoch });

        public ClientState ForgetSeen(StructureId structure) => state.Chains.Keys.Where(key => key.Structure == structure)
            .Aggregate(state, (next, key) => next.SetSeen(key, null));

        public ClientState ForgetUsers() => state.ForgetSeen(StructureId.Devices) with
        {
            Persons = state.Persons.Where(person => person.Value.Own is not null)
                .ToImmutableDictionary(person => person.Key, person => person.Value with { LeftEpoch = null }, StringComparer.Ordinal),
        };
    }

    private static Dictionary<string, T> Select<T>(ClientState state, StructureId structure, Func<Chain, T?> part)
        where T : class =>
        state.Chains.Where(chain => chain.Key.Structure == structure && part(chain.Value) is not null)
            .ToDictionary(chain => chain.Key.Id, chain => part(chain.Value)!, StringComparer.Ordinal);
}
