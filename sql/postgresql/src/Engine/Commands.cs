using Npgsql;
using NpgsqlTypes;

namespace Optiks.Storage.PostgreSql.Engine;

/// <summary>
/// Creates commands from SQL with positional parameters ($1, $2, ...). The data source automatically prepares statements that run
/// repeatedly.
/// </summary>
internal static class Commands
{
    /// <summary>Creates a command with the given SQL and parameters on a connection.</summary>
    public static NpgsqlCommand Command(this NpgsqlConnection connection, string sql, params ReadOnlySpan<NpgsqlParameter> parameters)
    {
        var command = new NpgsqlCommand(sql, connection);
        foreach (NpgsqlParameter parameter in parameters)
        {
            command.Parameters.Add(parameter);
        }
        return command;
    }

    /// <summary>Adds a command with the given SQL and parameters to a batch.</summary>
    public static NpgsqlBatchCommand Add(this NpgsqlBatch batch, string sql, params ReadOnlySpan<NpgsqlParameter> parameters)
    {
        var command = new NpgsqlBatchCommand(sql);
        foreach (NpgsqlParameter parameter in parameters)
        {
            command.Parameters.Add(parameter);
        }
        batch.BatchCommands.Add(command);
        return command;
    }

    /// <summary>Converts the parameters of a statement, in their order.</summary>
    public static NpgsqlParameter[] Parameters(Parameter[] parameters) => Array.ConvertAll(parameters, parameter => parameter.Type switch
    {
        ParameterType.Big => parameter.Number is long number ? Bigint(number) : Null(NpgsqlDbType.Bigint),
        ParameterType.Medium => Integer((int)parameter.Number!.Value),
        ParameterType.Text => Text(parameter.Text),
        ParameterType.Octets => Bytea(parameter.Octets),
        ParameterType.RequestId => Uuid(parameter.RequestId),
        _ => Interval(TimeSpan.FromMilliseconds(parameter.Number!.Value)),
    });

    public static NpgsqlParameter Bigint(long value) => new NpgsqlParameter<long> { TypedValue = value };

    public static NpgsqlParameter Bigint(ulong value) => Bigint(checked((long)value));

    public static NpgsqlParameter Integer(int value) => new NpgsqlParameter<int> { TypedValue = value };

    public static NpgsqlParameter Text(string value) => new NpgsqlParameter<string> { TypedValue = value };

    public static NpgsqlParameter Uuid(Guid value) => new NpgsqlParameter<Guid> { TypedValue = value };

    public static NpgsqlParameter Interval(TimeSpan value) => new NpgsqlParameter<TimeSpan> { TypedValue = value };

    public static NpgsqlParameter Bytea(ReadOnlyMemory<byte> value) =>
        new NpgsqlParameter<ReadOnlyMemory<byte>> { TypedValue = value, NpgsqlDbType = NpgsqlDbType.Bytea };

    public static NpgsqlParameter Time(DateTimeOffset value) =>
        new NpgsqlParameter<DateTime> { TypedValue = value.UtcDateTime, NpgsqlDbType = NpgsqlDbType.TimestampTz };

    public static NpgsqlParameter Null(NpgsqlDbType type) => new() { Value = DBNull.Value, NpgsqlDbType = type };

    /// <summary>Creates an array parameter from the values of one column. Statements turn it into rows with unnest.</summary>
    public static NpgsqlParameter List<T>(T[] values, NpgsqlDbType type) =>
        new NpgsqlParameter<T[]> { TypedValue = values, NpgsqlDbType = NpgsqlDbType.Array | type };

    /// <summary>Creates an array parameter from one column of the given rows. Statements turn it into rows with unnest.</summary>
    public static NpgsqlParameter List<TRow, T>(IReadOnlyList<TRow> rows, Func<TRow, T> cell, NpgsqlDbType type)
    {
        var values = new T[rows.Count];
        for (int i = 0; i < values.Length; i++)
        {
            values[i] = cell(rows[i]);
        }
        return List(values, type);
    }
}
