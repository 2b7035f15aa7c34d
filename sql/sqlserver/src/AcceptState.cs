using Microsoft.Data.SqlClient;
using Optiks.Storage.Driver;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>AcceptState is what the database holds that decides about a group (<see cref="AcceptPlan.Decide"/>).</summary>
/// <param name="Now">The database's clock.</param>
/// <param name="Head">Its head.</param>
/// <param name="Pending">Number of pending rows of each of the group's keys that has any.</param>
/// <param name="Known">Body hash of each of the group's ids that is known.</param>
internal sealed record AcceptState(DateTimeOffset Now, HeadRow Head, Dictionary<UpdateKey, int> Pending, Dictionary<Guid, ReadOnlyMemory<byte>> Known)
{
    /// <summary>ReadAsync reads the four results of a batch in the order of the parameters, from before the first row on.</summary>
    public static async Task<AcceptState> ReadAsync(SqlDataReader reader, string location, AcceptGroup group, CancellationToken cancellationToken)
    {
        var rows = new Rows(reader);
        _ = await rows.ReadAsync(cancellationToken);
        DateTimeOffset now = rows.Time(0);
        _ = await reader.NextResultAsync(cancellationToken);
        HeadRow head = await rows.ReadAsync(cancellationToken) ? StoredRows.Head(rows) : throw StoredRows.NoHead(location);
        _ = await reader.NextResultAsync(cancellationToken);
        var pending = new Dictionary<UpdateKey, int>();
        while (await rows.ReadAsync(cancellationToken))
        {
            pending.Add(group.Keys[rows.Medium(0)].Key, checked((int)rows.Big(1)));
        }
        _ = await reader.NextResultAsync(cancellationToken);
        var known = new Dictionary<Guid, ReadOnlyMemory<byte>>();
        while (await rows.ReadAsync(cancellationToken))
        {
            // A group that is not plain may name an id twice.
            known[rows.RequestId(0)] = rows.Octets(1);
        }
        return new AcceptState(now, head, pending, known);
    }
}
