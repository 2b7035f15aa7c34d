using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.UpdateTask.Pipeline;

namespace Optiks.UpdateTask.Rules;

/// <summary>
/// Holds the usernames that may be reassigned to another user because their user has left. Only a log that reassigns usernames has such
/// usernames (docs/spec/recycled-names.md).
/// </summary>
internal sealed class FreedUsernames
{
    private readonly HashSet<UpdateKey> _freed = [];

    private FreedUsernames()
    {
    }

    /// <summary>The empty set, with which no username may be reassigned.</summary>
    public static FreedUsernames None { get; } = new();

    /// <summary>
    /// Finds out which requested usernames may be reassigned. It asks the database for the current user of each requested username that has
    /// a user. There are few such usernames, because clients rarely request one that is taken.
    /// </summary>
    public static async Task<FreedUsernames> ReadAsync(
        LogSession session, PipelineStore store, IReadOnlyList<PendingRequest> pending, CancellationToken cancellationToken)
    {
        if (!session.Identity.Anchor.Configuration.ReusesUsernames)
        {
            return None;
        }
        var freed = new FreedUsernames();
        var names = new List<LeafName>();
        var keys = new List<UpdateKey>();
        foreach (AcceptItem item in pending.SelectMany(request => request.Items).Where(item => item.Structure == StructureId.Usernames))
        {
            if (LatestLeaf(session.Directory, item.Key) is { } leaf)
            {
                names.Add(leaf);
                keys.Add(new UpdateKey(item.Structure, item.Key));
            }
        }
        IReadOnlyList<LeafPlace?> places = names.Count == 0 ? [] : await store.FindLeavesAsync(names, cancellationToken);
        using var left = new KeyVersions();
        foreach (LeafPlace? place in places)
        {
            ReadOnlyMemory<byte>? user = place is null ? null : await store.ReadValueAsync(place, cancellationToken);
            left.Add(StructureId.Decommissioned,
                user
                    ?? throw new StorageCorruptException(
                        "The database lacks the user of a username: see 'optiks-db fsck', and restore it."));
        }
        left.Read(session.Directory);
        freed._freed.UnionWith(keys.Where((_, i) => left[i] > 0));
        return freed;
    }

    /// <summary>Returns whether the username of this item may be reassigned to another user.</summary>
    public bool Has(AcceptItem item) => _freed.Contains(new UpdateKey(item.Structure, item.Key));

    // Returns the name of the latest leaf of a username. Returns null if the username has no user, or if it has had as many users as a
    // username may have.
    private static LeafName? LatestLeaf(KeyDirectory directory, ReadOnlyMemory<byte> name)
    {
        using var keys = new ByteStrings();
        keys.Add(name.Span);
        ulong[] generations = new ulong[1];
        directory.Versions([StructureId.Usernames], keys, generations);
        byte[] label = new byte[Lengths.Hash];
        ulong[] epochs = new ulong[1];
        return generations[0] is > 0 and < ProtocolLimits.MaxGenerations
            && directory.TryLeaves(StructureId.Usernames, name.Span, generations[0], label, epochs)
            ? new LeafName(epochs[0], StructureId.Usernames, label)
            : null;
    }
}
