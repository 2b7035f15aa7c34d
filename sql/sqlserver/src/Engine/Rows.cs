using Microsoft.Data.SqlClient;

namespace Optiks.Storage.SqlServer.Engine;

/// <summary>Reads the rows of a command. Disposing of the rows also disposes of the command.</summary>
internal sealed class Rows(SqlDataReader reader, SqlCommand command) : DbRows<SqlDataReader>(reader, command)
{
    public override int GetInt16(int column) => Reader.GetByte(column);

    public override bool GetBoolean(int column) => Reader.GetInt32(column) == 1;

    public override Guid GetRequestId(int column) => RequestIds.Read(GetBytes(column));
}
