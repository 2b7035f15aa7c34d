using System.Data;
using Microsoft.Data.SqlClient;
using Microsoft.Data.SqlClient.Server;

namespace Optiks.Storage.SqlServer.Engine;

/// <summary>
/// Describes a table type of the schema, with the function that fills its rows. Such a type allows a statement to get a whole list as one
/// parameter. Safe for concurrent use.
/// </summary>
internal sealed class ListType<T>
{
    private readonly string _name;
    private readonly SqlMetaData[] _columns;
    private readonly Action<SqlDataRecord, T> _fill;

    public ListType(string name, Action<SqlDataRecord, T> fill, params SqlMetaData[] columns)
    {
        _name = name;
        _fill = fill;
        _columns = columns;
    }

    /// <summary>
    /// Creates a parameter with the given rows; at least one row is required. The client reads the rows while it sends the command.
    /// </summary>
    public SqlParameter Parameter(string name, IEnumerable<T> rows) =>
        new(name, SqlDbType.Structured) { TypeName = _name, Value = Records(rows) };

    // All rows share one record object, because the client sends each row before it asks for the next one.
    private IEnumerable<SqlDataRecord> Records(IEnumerable<T> rows)
    {
        var record = new SqlDataRecord(_columns);
        foreach (T row in rows)
        {
            _fill(record, row);
            yield return record;
        }
    }
}
