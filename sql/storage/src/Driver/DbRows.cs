using System.Data.Common;

namespace Optiks.Storage;

/// <summary>Reads rows from an ADO.NET reader, and disposes of the reader at the end.</summary>
/// <typeparam name="TReader">The type of the engine's reader.</typeparam>
public abstract class DbRows<TReader> : IRows
    where TReader : DbDataReader
{
    private readonly IAsyncDisposable? _command;

    /// <summary>
    /// Wraps a reader, which is positioned before its first row. This object also disposes of the given command
    /// (<paramref name="command"/>), which is null if another object owns the command.
    /// </summary>
    protected DbRows(TReader reader, IAsyncDisposable? command)
    {
        _command = command;
        Reader = reader;
    }

    /// <summary>The wrapped reader, positioned at the current row.</summary>
    public TReader Reader { get; }

    /// <inheritdoc/>
    public ValueTask<bool> ReadAsync(CancellationToken cancellationToken) => new(Reader.ReadAsync(cancellationToken));

    /// <inheritdoc/>
    public bool IsNull(int column) => Reader.IsDBNull(column);

    /// <inheritdoc/>
    public long GetInt64(int column) => Reader.GetInt64(column);

    /// <inheritdoc/>
    public int GetInt32(int column) => Reader.GetInt32(column);

    /// <inheritdoc/>
    public abstract int GetInt16(int column);

    /// <inheritdoc/>
    public abstract bool GetBoolean(int column);

    /// <inheritdoc/>
    public string GetText(int column) => Reader.GetString(column);

    /// <inheritdoc/>
    public byte[] GetBytes(int column) => IsNull(column) ? [] : Reader.GetFieldValue<byte[]>(column);

    /// <inheritdoc/>
    public abstract Guid GetRequestId(int column);

    /// <inheritdoc/>
    public DateTimeOffset GetTime(int column) => new(Reader.GetDateTime(column), TimeSpan.Zero);

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await Reader.DisposeAsync();
        if (_command is not null)
        {
            await _command.DisposeAsync();
        }
        GC.SuppressFinalize(this);
    }
}
