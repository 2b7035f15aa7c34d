using Microsoft.Data.SqlClient;

namespace Optiks.Storage.SqlServer.Engine;

/// <summary>Columns are read as the contract's types.</summary>
internal static class Columns
{
    public static ulong Ulong(this SqlDataReader reader, int column) => checked((ulong)reader.GetInt64(column));

    public static ulong? NullableUlong(this SqlDataReader reader, int column) => reader.IsDBNull(column) ? null : reader.Ulong(column);

    /// <summary>Octets of a binary column; empty for null.</summary>
    public static byte[] Octets(this SqlDataReader reader, int column) => reader.IsDBNull(column) ? [] : (byte[])reader.GetValue(column);

    public static Guid RequestId(this SqlDataReader reader, int column) => RequestIds.Read((byte[])reader.GetValue(column));

    /// <summary>Time of a datetime2 column, which holds UTC.</summary>
    public static DateTimeOffset Time(this SqlDataReader reader, int column) => new(reader.GetDateTime(column), TimeSpan.Zero);
}
