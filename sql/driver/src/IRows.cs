namespace Optiks.Storage.Driver;

/// <summary>
/// Reads the rows of a query one after another, and the columns of the current row, counted from 0. Callers dispose of it before the
/// session's next statement. Not thread-safe.
/// </summary>
public interface IRows : IAsyncDisposable
{
    /// <summary>Moves to the next row; returns false after the last.</summary>
    ValueTask<bool> ReadAsync(CancellationToken cancellationToken);

    /// <summary>Returns whether a column is null.</summary>
    bool IsNull(int column);

    /// <summary>Returns a column of 64 bits.</summary>
    long GetInt64(int column);

    /// <summary>Returns a column of 32 bits.</summary>
    int GetInt32(int column);

    /// <summary>Returns a column of the engine's type for items, structures and reasons.</summary>
    int GetInt16(int column);

    /// <summary>Returns a Boolean column.</summary>
    bool GetBoolean(int column);

    /// <summary>Returns a text column.</summary>
    string GetText(int column);

    /// <summary>Returns a column of bytes; empty for null.</summary>
    byte[] GetBytes(int column);

    /// <summary>
    /// Returns a column of bytes, valid until the next row is read, without a copy where the engine can do so; empty for null.
    /// </summary>
    ReadOnlySpan<byte> GetSpan(int column) => GetBytes(column);

    /// <summary>Returns a column with a request id.</summary>
    Guid GetRequestId(int column);

    /// <summary>Returns a column with a time.</summary>
    DateTimeOffset GetTime(int column);

    /// <summary>Returns a column of 64 bits that is never negative.</summary>
    ulong GetUInt64(int column) => checked((ulong)GetInt64(column));

    /// <summary>Returns a column of 64 bits that is never negative; null for null.</summary>
    ulong? GetNullableUInt64(int column) => IsNull(column) ? null : GetUInt64(column);
}
