using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateTask.Rules;

/// <summary>
/// Decides pending requests, using only the log's state at the previous epoch. It checks the versions that each request expects first. It
/// then decides requests about users by the rules of docs/spec/users.md section 7 (the class <see cref="UserDecisions"/>). No two requests
/// share a key, so no request of the epoch can change the state that another request depends on.
/// </summary>
internal static class UpdateRules
{
    /// <summary>
    /// Returns a decision for each request that fits in the epoch, in the order of the requests. Requests for which it returns no decision
    /// wait for the next epoch. Throws <see cref="StorageCorruptException"/> for a request that no update-service of this version would
    /// accept.
    /// </summary>
    /// <param name="directory">The directory at the previous epoch, which must keep the values of the structure <c>devices</c>.</param>
    /// <param name="configuration">The log's configuration.</param>
    /// <param name="copied">The current period, and the mapping from versions of the previous period to versions of the current
    /// period.</param>
    /// <param name="freed">The usernames that may be reassigned to another user.</param>
    /// <param name="pending">The pending requests; no two requests may have the same key.</param>
    /// <param name="maxBytes">The maximum total length of an epoch's keys and values, including device lists, in bytes. The first request
    /// is always taken, whatever its length.</param>
    public static Decision[] Decide(
        KeyDirectory directory, Configuration configuration, CopiedVersions copied, FreedUsernames freed,
        IReadOnlyList<PendingRequest> pending, long maxBytes)
    {
        // Requests that ask for erasures are skipped here, because the class ErasurePlanner decides them.
        foreach (PendingRequest request in pending.Where(request => request.Kind != RequestKind.Erasure))
        {
            ThrowUnlessAcceptable(request, configuration);
        }
        var decisions = new Decision[pending.Count];
        DecideExpected(directory, copied, pending, decisions);
        return decisions[..UserDecisions.Decide(directory, configuration, copied.Period, freed, pending, decisions, maxBytes)];
    }

    // Refuses each request that has an item whose key is not at the version that the item expects. The refusal names the first such item.
    private static void DecideExpected(
        KeyDirectory directory, CopiedVersions copied, IReadOnlyList<PendingRequest> pending, Decision[] decisions)
    {
        var expected = new List<(int Request, int Item)>();
        using var versions = new KeyVersions();
        for (int i = 0; i < pending.Count; i++)
        {
            IReadOnlyList<AcceptItem> items = pending[i].Items;
            for (int item = 0; item < items.Count; item++)
            {
                if (items[item].Expected is not null)
                {
                    expected.Add((i, item));
                    versions.Add(items[item].Structure, items[item].Key);
                }
            }
        }
        versions.Read(directory);
        for (int i = 0; i < expected.Count; i++)
        {
            (int request, int item) = expected[i];
            var current = new ExpectedVersion(copied.Period, versions[i]);
            if (decisions[request].Refusal is null && copied.Now(pending[request].Items[item]) != current)
            {
                decisions[request] = new Decision { Refusal = new Refusal(RefusalReason.ExpectedVersion, item, current) };
            }
        }
    }

    // Repeats the checks that an update-service makes before it accepts a request. Without these checks, an invalid request would make this
    // epoch and every later epoch fail, with an error that does not name the request.
    private static void ThrowUnlessAcceptable(PendingRequest request, Configuration configuration)
    {
        bool isOfUser = request.Kind == RequestKind.User;
        for (int item = 0; item < request.Items.Count; item++)
        {
            AcceptItem update = request.Items[item];
            bool isChange = isOfUser && item == UserChange.ItemIndex;
            string? problem =
                update.Key.Length == 0 || update.Key.Length > configuration.MaxKeyLength
                    ? "a key that is empty or longer than the log allows"
                : !isChange && update.Value.Length > configuration.MaxValueLength ? "a value that is longer than the log allows"
                : isChange || update.Structure == StructureId.Keys ? null
                : !isOfUser || update.Structure is not (StructureId.Usernames or StructureId.Decommissioned)
                    ? "an item of a structure that such a request does not change"
                : null;
            if (problem is not null)
            {
                throw new StorageCorruptException(
                    $"The pending request {request.RequestId} cannot be decided: item {item} has {problem}. If a newer update-service accepted it, run the update-task of that version; otherwise restore the database.");
            }
        }
    }
}
