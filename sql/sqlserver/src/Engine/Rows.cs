using Microsoft.Data.SqlClient;
using Optiks.Storage.Driver;

namespace Optiks.Storage.SqlServer.Engine;

/// <summary>Rows are the rows of a command, which is disposed of with them, or of another's reader.</summary>
internal sealed class Rows(SqlDataReader reader, SqlCommand? command = null) : DbRows<SqlDataReader>(reader, command)
{
    public override int Small(int column) => Reader.GetByte(column);

    public override bool Flag(int column) => Reader.GetInt32(column) == 1;

    public override byte[] Octets(int column) => Columns.Octets(Reader, column);

    public override Guid RequestId(int column) => Columns.RequestId(Reader, column);
}
