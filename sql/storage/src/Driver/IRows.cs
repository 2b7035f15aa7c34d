namespace Optiks.Storage;

/// <summary>
/// Reads the rows of a query one after another, and the columns of the current row, which are numbered from 0. Callers must dispose of this
/// object before the session's next statement. Not thread-safe.
/// </summary>
public interface IRows : IAsyncDisposable
{
    /// <summary>Moves to the next row; returns false if there is no further row.</summary>
    ValueTask<bool> ReadAsync(CancellationToken cancellationToken);

    /// <summary>Returns whether the current row has null in a column.</summary>
    bool IsNull(int column);

    /// <summary>Returns a column's 64-bit number.</summary>
    long GetInt64(int column);

    /// <summary>Returns a column's 32-bit number.</summary>
    int GetInt32(int column);

    /// <summary>Returns a column's number of an item, a structure or a reason, for which each engine uses its own integer type.</summary>
    int GetInt16(int column);

    /// <summary>Returns a column's Boolean.</summary>
    bool GetBoolean(int column);

    /// <summary>Returns a column's text.</summary>
    string GetText(int column);

    /// <summary>Returns a column's bytes; an empty array if the column is null.</summary>
    byte[] GetBytes(int column);

    /// <summary>
    /// Returns a column's bytes, without copying them if the engine can do so; an empty span if the column is null. The span is valid until
    /// the next row is read.
    /// </summary>
    ReadOnlySpan<byte> GetSpan(int column) => GetBytes(column);

    /// <summary>Returns a column's request id.</summary>
    Guid GetRequestId(int column);

    /// <summary>Returns a column's time.</summary>
    DateTimeOffset GetTime(int column);

    /// <summary>Returns a column's 64-bit number, which must not be negative.</summary>
    ulong GetUInt64(int column) => checked((ulong)GetInt64(column));

    /// <summary>Returns a column's 64-bit number, which must not be negative, or null if the column is null.</summary>
    ulong? GetNullableUInt64(int column) => IsNull(column) ? null : GetUInt64(column);
}
