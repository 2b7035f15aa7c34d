using System.Data;
using Microsoft.Data.SqlClient;

namespace Optiks.Storage.SqlServer.Engine;

/// <summary>
/// Creates named parameters, each with the type of the column with which the statement compares it. If the types differed, the server would
/// convert the column's values and could not use the column's index.
/// </summary>
internal static class Parameters
{
    // The declared length of short parameters, which no key, hash or name exceeds. It is the greatest length that a type of SQL Server can
    // declare, apart from (max).
    private const int MaxSizedLength = 8000;

    /// <summary>Converts the parameters of a statement to parameters of the client.</summary>
    public static SqlParameter[] Create(Parameter[] parameters) =>
        Array.ConvertAll(parameters, parameter => Create(parameter, $"@{parameter.Name}"));

    public static SqlParameter Bigint(string name, long value) => new(name, SqlDbType.BigInt) { Value = value };

    public static SqlParameter Bigint(string name, ulong value) => Bigint(name, checked((long)value));

    public static SqlParameter NullableBigint(string name, ulong? value) =>
        new(name, SqlDbType.BigInt) { Value = value is ulong present ? checked((long)present) : DBNull.Value };

    public static SqlParameter Time(string name, DateTimeOffset value) => new(name, SqlDbType.DateTime2) { Value = value.UtcDateTime };

    public static SqlParameter Int(string name, int value) => new(name, SqlDbType.Int) { Value = value };

    public static SqlParameter Text(string name, string value) => new(name, SqlDbType.NVarChar, 256) { Value = value };

    public static SqlParameter RequestId(string name, Guid value) =>
        new(name, SqlDbType.Binary, RequestIds.Length) { Value = Octets(value) };

    public static SqlParameter Binary(string name, ReadOnlyMemory<byte> value) =>
        new(name, SqlDbType.VarBinary, value.Length <= MaxSizedLength ? MaxSizedLength : -1) { Value = value.ToArray() };

    private static SqlParameter Create(Parameter parameter, string name) => parameter.Type switch
    {
        ParameterType.Big => new SqlParameter(name, SqlDbType.BigInt) { Value = parameter.Number is long number ? number : DBNull.Value },
        ParameterType.Medium or ParameterType.Duration => Int(name, checked((int)parameter.Number!.Value)),
        ParameterType.Text => Text(name, parameter.Text),
        ParameterType.Octets => Binary(name, parameter.Octets),
        _ => RequestId(name, parameter.RequestId),
    };

    /// <summary>Returns the bytes of a request id in network order, in which ids sort by time.</summary>
    public static byte[] Octets(Guid requestId)
    {
        byte[] octets = new byte[RequestIds.Length];
        RequestIds.Write(requestId, octets);
        return octets;
    }
}
