using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>
/// Names the entries that differ between two states. Both dictionaries are read whole, because immutable dictionaries do not tell which
/// parts they share, so a commit looks for changes once.
/// </summary>
internal sealed class StateChanges
{
    public StateChanges(ClientState before, ClientState after)
    {
        Before = before;
        After = after;
        Chains = Compare(before.Chains, after.Chains);
        Persons = Compare(before.Persons, after.Persons);
        Names = Compare(before.Names, after.Names);
        Leaves = Compare(before.Leaves, after.Leaves);
        Notes = Compare(before.Notes, after.Notes);
    }

    public ClientState Before { get; }

    public ClientState After { get; }

    public IReadOnlyList<StructureKey> Chains { get; }

    public IReadOnlyList<string> Persons { get; }

    public IReadOnlyList<string> Names { get; }

    public IReadOnlyList<StructureKey> Leaves { get; }

    public IReadOnlyList<string> Notes { get; }

    /// <summary>Returns the keys whose entries differ between two dictionaries.</summary>
    public static IReadOnlyList<TKey> Compare<TKey, TValue>(
        ImmutableDictionary<TKey, TValue> before, ImmutableDictionary<TKey, TValue> after)
        where TKey : notnull
    {
        if (ReferenceEquals(before, after))
        {
            return [];
        }
        var changed = new List<TKey>();
        int added = 0;
        foreach ((TKey key, TValue value) in after)
        {
            bool isKnown = before.TryGetValue(key, out TValue? known);
            if (!isKnown || !EqualityComparer<TValue>.Default.Equals(known, value))
            {
                changed.Add(key);
                added += isKnown ? 0 : 1;
            }
        }
        if (before.Count + added > after.Count)
        {
            changed.AddRange(before.Keys.Where(key => !after.ContainsKey(key)));
        }
        return changed;
    }
}
