using System.Collections.Immutable;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Decides which statements about leaves an owner keeps, and finds kept statements that a new statement contradicts
/// (docs/spec/broken-append.md sections 4 and 5).
/// </summary>
internal static class LeafRules
{
    /// <summary>The most versions of one key for which an owner keeps a statement of presence.</summary>
    public const int MaxVersions = 16;

    /// <summary>Tells whether a statement is about a key or user of the owner.</summary>
    public static bool IsOwn(ClientState state, LeafStatement statement) => IsOwn(state, Name(statement));

    /// <summary>
    /// Returns the state with the statements of an accepted answer, and without the statements about keys and users that the client no
    /// longer owns.
    /// </summary>
    public static ClientState Keep(ClientState current, IReadOnlyList<LeafStatement> shown)
    {
        ImmutableDictionary<StructureKey, ImmutableArray<KeptLeaf>> kept =
            current.Leaves.RemoveRange(current.Leaves.Keys.Where(name => !IsOwn(current, name)));
        foreach (IGrouping<StructureKey, LeafStatement> ofKey in shown.GroupBy(Name))
        {
            if (!IsOwn(current, ofKey.Key))
            {
                continue;
            }
            ImmutableArray<KeptLeaf> before = kept.GetValueOrDefault(ofKey.Key, []);
            ImmutableArray<KeptLeaf> after = Keep(before, [.. ofKey]);
            kept = before.SequenceEqual(after) ? kept : kept.SetItem(ofKey.Key, after);
        }
        return ReferenceEquals(kept, current.Leaves) ? current : current with { Leaves = kept };
    }

    /// <summary>
    /// Finds a statement of an answer that contradicts a kept one, by the rules that any judge of the evidence applies; null if there is no
    /// contradiction.
    /// </summary>
    public static (byte[] Kept, byte[] Received)? FindContradiction(
        ClientState seen, IClientStateStore store, TrustAnchor anchor, IReadOnlyList<LeafStatement> shown)
    {
        foreach (LeafStatement statement in shown)
        {
            foreach (KeptLeaf leaf in seen.Leaves.GetValueOrDefault(Name(statement), []))
            {
                if (leaf.Version != statement.Version || leaf.Period != statement.Period || store.FindValue(leaf.Sha256) is not { } kept
                    || !Contradicts(kept, statement))
                {
                    continue;
                }
                byte[] received = statement.Encode();
                if (LogVerifier.JudgeLeaves(anchor, kept, received) == Reason.LeafContradicts)
                {
                    return (kept, received);
                }
            }
        }
        return null;
    }

    private static bool Contradicts(byte[] kept, LeafStatement statement)
    {
        try
        {
            return LeafStatement.Decode(kept).Contradicts(statement);
        }
        catch (EncodingException)
        {
            // A kept statement that does not decode cannot be compared with the new statement, so it contradicts nothing.
            return false;
        }
    }

    private static StructureKey Name(LeafStatement statement) => new(statement.Structure, Base64UrlText.Encode(statement.Key.Span));

    private static bool IsOwn(ClientState state, StructureKey name) => name.Structure switch
    {
        StructureId.Keys => state.OwnedChains.Contains(name),
        StructureId.Usernames => state.OwnedPersons.Any(user => state.OwnPersonOf(user)!.Names.Contains(name.Id)),
        _ => state.OwnedPersons.Contains(name.Id),
    };

    private static ImmutableArray<KeptLeaf> Keep(ImmutableArray<KeptLeaf> kept, IReadOnlyList<LeafStatement> shown)
    {
        LeafStatement[] added =
            [.. shown.Where(statement => statement.Member is not null
                && !kept.Any(leaf => leaf.IsPresent && leaf.Period == statement.Period && leaf.Version == statement.Version))];
        IEnumerable<KeptLeaf> present = kept.Where(leaf => leaf.IsPresent)
            .Concat(added.DistinctBy(statement => (statement.Period, statement.Version))
                .OrderByDescending(statement => (statement.Period, statement.Version)).Take(MaxVersions).Select(Of));
        // The state keeps only the latest statement of absence, which is about the version after the latest version.
        KeptLeaf? before = kept.FirstOrDefault(leaf => !leaf.IsPresent);
        LeafStatement? absent = shown.FirstOrDefault(statement => statement.Absent is not null);
        bool isLater = absent is not null && absent.Structure != StructureId.Usernames
            && (before is null || (absent.Period, absent.Epoch).CompareTo((before.Period, before.Epoch)) > 0);
        KeptLeaf? after = isLater ? Of(absent!) : before;
        return [.. present.OrderByDescending(leaf => (leaf.Period, leaf.Version)).Take(MaxVersions),
            .. after is null ? [] : (KeptLeaf[])[after]];
    }

    private static KeptLeaf Of(LeafStatement statement) =>
        new(statement.Period, statement.Version, statement.Member is not null, statement.Epoch, ValueHash.Of(statement.Encode()));
}
