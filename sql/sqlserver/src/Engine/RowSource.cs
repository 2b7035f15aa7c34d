using System.Collections;
using System.Data.Common;

namespace Optiks.Storage.SqlServer.Engine;

/// <summary>
/// Supplies rows to SqlBulkCopy one after another, so that they are never all in memory. Implements only the members that SqlBulkCopy
/// calls. Not thread-safe.
/// </summary>
internal sealed class RowSource : DbDataReader, IRowWriter
{
    private readonly object[] _cells;
    private readonly int _rows;
    private readonly Action<IRowWriter, int> _write;
    private int _row = -1;
    private int _column;

    /// <summary>Creates a source of the given number of rows. The function <paramref name="write"/> writes the cells of one row.</summary>
    public RowSource(int rows, int columns, Action<IRowWriter, int> write)
    {
        _rows = rows;
        _cells = new object[columns];
        _write = write;
    }

    public override int FieldCount => _cells.Length;

    public override bool HasRows => _rows > 0;

    public override bool IsClosed => false;

    public override int Depth => 0;

    public override int RecordsAffected => -1;

    public override object this[int ordinal] => GetValue(ordinal);

    public override object this[string name] => throw Missing();

    public override bool Read()
    {
        if (++_row >= _rows)
        {
            return false;
        }
        _column = 0;
        _write(this, _row);
        return true;
    }

    public override bool NextResult() => false;

    public override object GetValue(int ordinal) => _cells[ordinal];

    public override bool IsDBNull(int ordinal) => GetValue(ordinal) is DBNull;

    // If the value is the same as in the previous row, as an epoch's number is, the previous row's boxed object is reused.
    public void WriteInt64(long? value) =>
        Add(value is not long present ? DBNull.Value : _cells[_column] is long before && before == present ? _cells[_column] : present);

    public void WriteInt32(int? value) => Add(value is int present ? present : DBNull.Value);

    public void WriteInt16(int? value) => Add(value is int present ? checked((byte)present) : DBNull.Value);

    public void WriteBytes(ReadOnlyMemory<byte> value) => Add(value.ToArray());

    public void WriteBytes(ReadOnlySpan<byte> value) => Add(value.ToArray());

    public void WriteNull() => Add(DBNull.Value);

    public void WriteRequestId(Guid value) => Add(Parameters.Octets(value));

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

    private void Add(object cell) => _cells[_column++] = cell;

    private static NotSupportedException Missing() => new("A bulk copy by column numbers does not need this.");
}
