using Microsoft.Data.SqlClient;

namespace Optiks.Storage.SqlServer.Engine;

/// <summary>Columns are read as the contract's types.</summary>
internal static class Columns
{
    /// <summary>Octets of a binary column; empty for null.</summary>
    public static byte[] Octets(this SqlDataReader reader, int column) => reader.IsDBNull(column) ? [] : (byte[])reader.GetValue(column);

    public static Guid RequestId(this SqlDataReader reader, int column) => RequestIds.Read((byte[])reader.GetValue(column));
}
