using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateTask.Rules;

/// <summary>
/// Decides an epoch's requests about users by the rules in the class <see cref="UserRules"/>. It asks the directory for the state of many
/// requests at once.
/// </summary>
internal static class UserDecisions
{
    /// <summary>
    /// Decides the requests about users that are not refused already, and writes the decisions into the array <paramref name="decisions"/>.
    /// Returns how many requests of all kinds fit in the epoch, counted from the first request (see <see cref="UpdateRules.Decide"/>).
    /// </summary>
    public static int Decide(
        KeyDirectory directory, Configuration configuration, ulong period, FreedUsernames freed, IReadOnlyList<PendingRequest> pending,
        Decision[] decisions, long maxBytes)
    {
        PendingUserRequest?[] users = Read(directory, period, freed, pending, decisions);
        if (users.All(user => user is null))
        {
            // No request about a user is left to decide, so no new device list adds to the epoch's size. All requests fit, because their
            // selection has already limited their total size.
            return pending.Count;
        }
        ThrowIfShared(pending);
        var lists = new DeviceListReader(directory, [.. users.Where(user => user is { NeedsList: true })!]);
        long bytes = 0;
        for (int i = 0; i < pending.Count; i++)
        {
            if (users[i] is { } user)
            {
                decisions[i] = UserRules.Decide(user, user.NeedsList ? lists.Next() : [], configuration);
            }
            bytes += CountBytes(pending[i], decisions[i]);
            if (i > 0 && bytes > maxBytes)
            {
                return i;
            }
        }
        return pending.Count;
    }

    // Reads the latest versions of all keys in the requests about users. The result has one element for each request. The element is null
    // if the request is about plain keys or is already refused.
    private static PendingUserRequest?[] Read(
        KeyDirectory directory, ulong period, FreedUsernames freed, IReadOnlyList<PendingRequest> pending, Decision[] decisions)
    {
        var changes = new UserChange?[pending.Count];
        using var versions = new KeyVersions();
        for (int i = 0; i < pending.Count; i++)
        {
            changes[i] = decisions[i].Refusal is null ? UserChange.Parse(pending[i]) : null;
            if (changes[i] is not null)
            {
                versions.Add(StructureId.Decommissioned, pending[i].Items[UserChange.ItemIndex].Key);
                foreach (AcceptItem item in pending[i].Items)
                {
                    versions.Add(item.Structure, item.Key);
                }
            }
        }
        versions.Read(directory);
        var users = new PendingUserRequest?[pending.Count];
        int next = 0;
        for (int i = 0; i < pending.Count; i++)
        {
            if (changes[i] is { } change)
            {
                bool hasLeft = versions[next++] > 0;
                var ofItems = new ExpectedVersion[pending[i].Items.Count];
                for (int item = 0; item < ofItems.Length; item++)
                {
                    ofItems[item] = new ExpectedVersion(period, versions[next++]);
                }
                users[i] = new PendingUserRequest(pending[i], change, ofItems, hasLeft) { Freed = [.. pending[i].Items.Select(freed.Has)] };
            }
        }
        return users;
    }

    // Throws if two requests share a user, a username or a device. Each request is decided by the state of the previous epoch, which is
    // correct only if no other request of the epoch has the same key.
    private static void ThrowIfShared(IReadOnlyList<PendingRequest> pending)
    {
        var seen = new HashSet<UpdateKey>();
        foreach (PendingRequest request in pending)
        {
            foreach (AcceptItem item in request.Items)
            {
                if (!seen.Add(new UpdateKey(item.Structure, item.Key)))
                {
                    throw new InvalidOperationException(
                        $"Item {item.Structure} of request {request.RequestId} has a key that another item of the epoch has.");
                }
            }
        }
    }

    private static long CountBytes(PendingRequest request, in Decision decision)
    {
        long bytes = 0;
        for (int item = 0; item < request.Items.Count; item++)
        {
            bytes += decision.HasLeaf(item) ? request.Items[item].Key.Length + decision.GetValue(request, item).Length : 0;
        }
        return bytes;
    }
}
