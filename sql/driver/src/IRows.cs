namespace Optiks.Storage.Driver;

/// <summary>The rows of a query, one after the other, and the columns of the one that was read last, from 0 on. Disposed of before the session's next statement. Not thread-safe.</summary>
public interface IRows : IAsyncDisposable
{
    /// <summary>Moves to the next row; false after the last.</summary>
    ValueTask<bool> ReadAsync(CancellationToken cancellationToken);

    /// <summary>Says whether a column is null.</summary>
    bool IsNull(int column);

    /// <summary>Big of a column of 64 bits.</summary>
    long Big(int column);

    /// <summary>Medium of a column of 32 bits.</summary>
    int Medium(int column);

    /// <summary>Small of a column of the engine's type for items, structures and reasons.</summary>
    int Small(int column);

    /// <summary>Flag of a column that says yes or no.</summary>
    bool Flag(int column);

    /// <summary>Text of a column.</summary>
    string Text(int column);

    /// <summary>Octets of a column; empty for null.</summary>
    byte[] Octets(int column);

    /// <summary>The octets of a column until the next row is read, without a copy where the engine can; empty for null.</summary>
    ReadOnlySpan<byte> Span(int column) => Octets(column);

    /// <summary>RequestId of a column.</summary>
    Guid RequestId(int column);

    /// <summary>Time of a column.</summary>
    DateTimeOffset Time(int column);

    /// <summary>Natural of a column that holds no negative number.</summary>
    ulong Natural(int column) => checked((ulong)Big(column));

    /// <summary>Null for null.</summary>
    ulong? NullableNatural(int column) => IsNull(column) ? null : Natural(column);
}
