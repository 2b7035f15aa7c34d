using System.Data;
using Microsoft.Data.SqlClient;
using Microsoft.Data.SqlClient.Server;

namespace Optiks.Storage.SqlServer.Engine;

/// <summary>A table type of the schema, and how its rows are filled: a whole list is one parameter. Safe for concurrent use.</summary>
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

    /// <summary>Creates a parameter with these rows, at least one; they are read while the command is sent.</summary>
    public SqlParameter Parameter(string name, IEnumerable<T> rows) => new(name, SqlDbType.Structured) { TypeName = _name, Value = Records(rows) };

    // One record serves all rows: each is sent before the next is requested.
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
