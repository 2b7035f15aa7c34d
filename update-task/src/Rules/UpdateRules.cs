using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateTask.Rules;

/// <summary>
/// Decides pending requests by the state of the epoch before alone. It checks each request's expected versions first. A request about a
/// user is then judged by the rules of docs/spec/users.md section 7 (<see cref="UserDecisions"/>). No two requests share a key, so no
/// request changes the state by which another is judged.
/// </summary>
internal static class UpdateRules
{
    /// <summary>
    /// Returns a decision for each request that fits in an epoch, in the order of the requests. The requests after the last decision wait
    /// for the next epoch. Throws <see cref="StorageCorruptException"/> for a request that no update-service of this version accepts.
    /// </summary>
    /// <param name="directory">The directory at the epoch before, with the values of structure devices.</param>
    /// <param name="configuration">The log's configuration.</param>
    /// <param name="copied">The current period, and the mapping of versions of the period before to versions of this period.</param>
    /// <param name="freed">The usernames that may be reassigned to another user.</param>
    /// <param name="pending">The requests, without duplicate keys.</param>
    /// <param name="maxBytes">The number of bytes of keys and values, including device lists, that an epoch takes; the first request is
    /// always taken, whatever its size.</param>
    public static Decision[] Decide(
        KeyDirectory directory, Configuration configuration, CopiedVersions copied, FreedUsernames freed, IReadOnlyList<PendingRequest> pending, long maxBytes)
    {
        // ErasurePlanner decides requests that ask for erasures.
        foreach (PendingRequest request in pending.Where(request => request.Kind != RequestKind.Erasure))
        {
            ThrowUnlessAcceptable(request, configuration);
        }
        var decisions = new Decision[pending.Count];
        DecideExpected(directory, copied, pending, decisions);
        return decisions[..UserDecisions.Decide(directory, configuration, copied.Period, freed, pending, decisions, maxBytes)];
    }

    // Each request gets at most one refusal, for its first item whose key is not at the expected version.
    private static void DecideExpected(KeyDirectory directory, CopiedVersions copied, IReadOnlyList<PendingRequest> pending, Decision[] decisions)
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

    // Checks again the rules that an update-service checks before it accepts a request. An unacceptable request would make this epoch and
    // every later one fail, without naming the request.
    private static void ThrowUnlessAcceptable(PendingRequest request, Configuration configuration)
    {
        bool isOfUser = request.Kind == RequestKind.User;
        for (int item = 0; item < request.Items.Count; item++)
        {
            AcceptItem update = request.Items[item];
            bool isChange = isOfUser && item == UserChange.ItemIndex;
            string? problem =
                update.Key.Length == 0 || update.Key.Length > configuration.MaxKeyLength ? "a key that is empty or longer than the log allows"
                : !isChange && update.Value.Length > configuration.MaxValueLength ? "a value that is longer than the log allows"
                : isChange || update.Structure == StructureId.Keys ? null
                : !isOfUser || update.Structure is not (StructureId.Usernames or StructureId.Decommissioned) ? "an item of a structure that such a request does not change"
                : null;
            if (problem is not null)
            {
                throw new StorageCorruptException(
                    $"The pending request {request.RequestId} cannot be decided: item {item} has {problem}. If a newer update-service accepted it, run the update-task of that version; otherwise restore the database.");
            }
        }
    }
}
