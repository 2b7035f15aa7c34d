using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Tells since which epoch the names of an owned user lead to the user (docs/spec/state.md section 3.2).</summary>
internal static class OwnNames
{
    /// <summary>
    /// Tells whether verified answers show that, up to an epoch, no known name of an owned user led to the user. Each name's leaf must be
    /// of a later epoch, or still be missing at that epoch. If so, nobody who looked up one of these names until then saw anything of the
    /// user. The result is also false if the client does not know this for every name.
    /// </summary>
    public static bool LedNowhere(ClientState state, IClientStateStore store, string user, ulong epoch)
    {
        string[] names =
            [.. state.OwnPersonOf(user)!.Names.Union(state.Names.Where(name => name.Value.User == user).Select(name => name.Key))];
        return names.Length > 0 && names.All(name => state.Names.GetValueOrDefault(name) is { } kept
            && (kept.User is null
                ? kept.LeastEpoch >= epoch
                : kept.User == user && LeafEpoch(state, store, name, kept.Generation ?? 0) > epoch));
    }

    // Returns the epoch of the leaf by which the name leads to its user; null if the state has no statement about that leaf.
    private static ulong? LeafEpoch(ClientState state, IClientStateStore store, string name, ulong generation)
    {
        KeptLeaf? leaf = state.Leaves.GetValueOrDefault(new StructureKey(StructureId.Usernames, name), [])
            .FirstOrDefault(leaf => leaf.IsPresent && leaf.Version == generation);
        try
        {
            return leaf is not null && store.FindValue(leaf.Sha256) is { } octets ? LeafStatement.Decode(octets).Member?.Epoch : null;
        }
        catch (EncodingException)
        {
            // A statement in the state that does not decode proves nothing.
            return null;
        }
    }
}
