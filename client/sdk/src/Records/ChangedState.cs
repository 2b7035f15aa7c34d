using System.Collections.Immutable;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Reduces a state to what changed, so that the check before a commit costs as much as the change and not as much as the state. Everything
/// else was checked when it was written or loaded.
/// </summary>
internal static class ChangedState
{
    /// <summary>
    /// Returns a state with the entries that changed and the entries that the checks compare with them. The head comes with everything that
    /// must not go beyond it, and a user with the chain of its list.
    /// </summary>
    public static ClientState Reduce(ClientState before, ClientState after)
    {
        bool isSameLog = ReferenceEquals(before.Head, after.Head) && ReferenceEquals(before.Cosigners, after.Cosigners)
            && before.Unaudited == after.Unaudited && before.PeriodEnds == after.PeriodEnds;
        HashSet<StructureKey> chains = [.. StateRecords.Changed(before.Chains, after.Chains)];
        HashSet<string> persons = [.. StateRecords.Changed(before.Persons, after.Persons)];
        persons.UnionWith(chains.Where(key => key.Structure == StructureId.Devices).Select(key => key.Id));
        chains.UnionWith(persons.Select(StructureKey.OfList));
        return new ClientState
        {
            LogId = after.LogId,
            Head = isSameLog ? null : after.Head,
            Cosigners = isSameLog ? [] : after.Cosigners,
            Unaudited = isSameLog ? [] : after.Unaudited,
            PeriodEnds = isSameLog ? [] : after.PeriodEnds,
            Fork = after.Fork,
            Chains = Take(after.Chains, chains),
            Persons = Take(after.Persons, persons),
            Names = Take(after.Names, StateRecords.Changed(before.Names, after.Names)),
            Leaves = Take(after.Leaves, StateRecords.Changed(before.Leaves, after.Leaves)),
            Notes = Take(after.Notes, StateRecords.Changed(before.Notes, after.Notes)),
        };
    }

    private static ImmutableDictionary<TKey, TValue> Take<TKey, TValue>(ImmutableDictionary<TKey, TValue> all, IEnumerable<TKey> keys)
        where TKey : notnull => keys.Where(all.ContainsKey).ToImmutableDictionary(key => key, key => all[key]);
}
