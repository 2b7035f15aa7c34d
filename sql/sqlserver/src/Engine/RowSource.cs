using System.Collections;
using System.Data.Common;

namespace Optiks.Storage.SqlServer.Engine;

/// <summary>
/// RowSource gives rows to SqlBulkCopy, which asks for one cell after the other: nothing is built that holds them all. Only what it calls is there. Not thread-safe.
/// </summary>
internal sealed class RowSource : DbDataReader
{
    private readonly int _columns;
    private readonly int _rows;
    private readonly Func<int, int, object> _cell;
    private int _row = -1;

    /// <summary>RowSource of <paramref name="rows"/> rows; <paramref name="cell"/> gives the value at (row, column), <see cref="DBNull"/> for null.</summary>
    public RowSource(int rows, int columns, Func<int, int, object> cell)
    {
        _rows = rows;
        _columns = columns;
        _cell = cell;
    }

    public override int FieldCount => _columns;

    public override bool HasRows => _rows > 0;

    public override bool IsClosed => false;

    public override int Depth => 0;

    public override int RecordsAffected => -1;

    public override object this[int ordinal] => GetValue(ordinal);

    public override object this[string name] => throw Missing();

    public override bool Read() => ++_row < _rows;

    public override bool NextResult() => false;

    public override object GetValue(int ordinal) => _cell(_row, ordinal);

    public override bool IsDBNull(int ordinal) => GetValue(ordinal) is DBNull;

    public override string GetName(int ordinal) => throw Missing();

    public override int GetOrdinal(string name) => throw Missing();

    public override string GetDataTypeName(int ordinal) => throw Missing();

    public override Type GetFieldType(int ordinal) => throw Missing();

    public override int GetValues(object[] values) => throw Missing();

    public override IEnumerator GetEnumerator() => throw Missing();

    public override bool GetBoolean(int ordinal) => throw Missing();

    public override byte GetByte(int ordinal) => throw Missing();

    public override long GetBytes(int ordinal, long dataOffset, byte[]? buffer, int bufferOffset, int length) => throw Missing();

    public override char GetChar(int ordinal) => throw Missing();

    public override long GetChars(int ordinal, long dataOffset, char[]? buffer, int bufferOffset, int length) => throw Missing();

    public override DateTime GetDateTime(int ordinal) => throw Missing();

    public override decimal GetDecimal(int ordinal) => throw Missing();

    public override double GetDouble(int ordinal) => throw Missing();

    public override float GetFloat(int ordinal) => throw Missing();

    public override Guid GetGuid(int ordinal) => throw Missing();

    public override short GetInt16(int ordinal) => throw Missing();

    public override int GetInt32(int ordinal) => throw Missing();

    public override long GetInt64(int ordinal) => throw Missing();

    public override string GetString(int ordinal) => throw Missing();

    private static NotSupportedException Missing() => new("A bulk copy by column numbers does not need this.");
}
