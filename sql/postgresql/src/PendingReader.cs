using Npgsql;
using NpgsqlTypes;
using Optiks.Protocol;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>PendingReader reads pending rows in order of acceptance, as far as a selection wants them. One selection after the other.</summary>
internal static class PendingReader
{
    // What is sent beyond the last row that is wanted, at most. Values have up to 64 KiB.
    private const int PageRows = 2048;

    /// <summary>ReadAsync shows the selection the rows that it was not shown yet, and gives it back.</summary>
    public static async Task<PendingSelection> ReadAsync(NpgsqlConnection connection, PendingSelection selection, AcceptFrontier frontier, CancellationToken cancellationToken)
    {
        if (selection.After == default)
        {
            // Not the successor of another: it begins before every row.
            frontier.Restart();
        }
        selection.ShowsAllThrough(frontier.Through);
        int rows = PageRows;
        while (rows == PageRows && !selection.IsFull)
        {
            await using NpgsqlCommand select = connection.Command(
                """
                SELECT seq, item, request_id, body_hash, structure, key, value, expected_period, expected_version
                FROM pending WHERE (seq, item) > ($1, $2) AND seq NOT IN (SELECT unnest($3)) ORDER BY seq, item LIMIT $4
                """,
                Commands.Bigint(selection.After.Sequence),
                Commands.Integer(selection.After.Item),
                Commands.List(selection.Underway.ToArray(), NpgsqlDbType.Bigint),
                Commands.Integer(PageRows));
            await using NpgsqlDataReader reader = await select.ExecuteReaderAsync(cancellationToken);
            for (rows = 0; await reader.ReadAsync(cancellationToken) && selection.TryAdd(Read(reader)); rows++)
            {
            }
        }
        await frontier.MoveAsync(connection, selection.After.Sequence, cancellationToken);
        return selection;
    }

    private static PendingRow Read(NpgsqlDataReader reader)
    {
        ExpectedVersion? expected = reader.IsDBNull(7) ? null : new ExpectedVersion(reader.Ulong(7), reader.Ulong(8));
        return new PendingRow(
            reader.GetInt64(0),
            reader.GetInt16(1),
            reader.GetGuid(2),
            reader.Octets(3),
            new AcceptItem((StructureId)reader.GetInt16(4), reader.Octets(5), reader.Octets(6), expected));
    }
}
