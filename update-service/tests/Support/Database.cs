using Microsoft.Data.Sqlite;

namespace Optiks.UpdateService.Tests.Support;

/// <summary>Reads the service's database file on a connection of its own, bypassing the driver.</summary>
internal sealed class Database
{
    private readonly string _connectionString;

    public Database(string path)
    {
        _connectionString =
            new SqliteConnectionStringBuilder { DataSource = path, Mode = SqliteOpenMode.ReadOnly, Pooling = false }.ToString();
    }

    /// <summary>
    /// Returns a text that changes if the service writes anything. It has the number of rows of every table that the service may write, and
    /// the last assigned sequence numbers.
    /// </summary>
    public string Contents() => string.Join(
        ' ',
        Read("SELECT count(*) FROM request"), Read("SELECT count(*) FROM pending"), Read("SELECT count(*) FROM outcome"),
        Read("SELECT coalesce(max(seq), 0) FROM sqlite_sequence"));

    /// <summary>Returns the number of stored requests.</summary>
    public long Requests() => (long)Read("SELECT count(*) FROM request")!;

    /// <summary>Returns the keys and values of the pending rows, in the order of acceptance.</summary>
    public IReadOnlyList<(byte[] Key, byte[] Value)> Pending() => [.. PendingItems().Select(item => (item.Key, item.Value))];

    /// <summary>Returns the pending rows with their item numbers and structures, in the order of acceptance.</summary>
    public IReadOnlyList<(int Item, int Structure, byte[] Key, byte[] Value)> PendingItems()
    {
        using SqliteConnection connection = Open();
        using SqliteCommand command = connection.CreateCommand();
        command.CommandText = "SELECT item, structure, key, value FROM pending ORDER BY id";
        using SqliteDataReader reader = command.ExecuteReader();
        var rows = new List<(int, int, byte[], byte[])>();
        while (reader.Read())
        {
            rows.Add((reader.GetInt32(0), reader.GetInt32(1), (byte[])reader[2], (byte[])reader[3]));
        }
        return rows;
    }

    /// <summary>Returns whether the database has a request with this id.</summary>
    public bool Has(Guid id)
    {
        using SqliteConnection connection = Open();
        using SqliteCommand command = connection.CreateCommand();
        command.CommandText = "SELECT count(*) FROM request WHERE request_id = $id";
        command.Parameters.AddWithValue("$id", id.ToByteArray(bigEndian: true));
        return (long)command.ExecuteScalar()! == 1;
    }

    private object? Read(string sql)
    {
        using SqliteConnection connection = Open();
        using SqliteCommand command = connection.CreateCommand();
#pragma warning disable CA2100 // All SQL texts are constants of this file, so no caller can inject SQL.
        command.CommandText = sql;
#pragma warning restore CA2100
        return command.ExecuteScalar();
    }

    private SqliteConnection Open()
    {
        var connection = new SqliteConnection(_connectionString);
        connection.Open();
        return connection;
    }
}
