using Npgsql;

namespace Optiks.Storage.PostgreSql.Engine;

/// <summary>Reads the rows of a command or of a batch. Disposing of the rows also disposes of the command; a batch belongs to the
/// caller.</summary>
internal sealed class Rows(NpgsqlDataReader reader, NpgsqlCommand? command = null) : DbRows<NpgsqlDataReader>(reader, command)
{
    public override int GetInt16(int column) => Reader.GetInt16(column);

    public override bool GetBoolean(int column) => Reader.GetBoolean(column);

    public override Guid GetRequestId(int column) => Reader.GetGuid(column);
}
