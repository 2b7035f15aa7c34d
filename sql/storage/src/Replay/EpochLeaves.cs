using Optiks.Native;

namespace Optiks.Storage;

/// <summary>
/// Reads batches of leaves, each with the leaves of several epochs, and returns the leaves of one epoch after another, without copying
/// them. Not thread-safe.
/// </summary>
internal sealed class EpochLeaves : IAsyncDisposable
{
    private readonly IAsyncEnumerator<LeafBatch> _batches;
    private LeafBatch _batch = LeafBatch.Empty;
    private int _next;

    public EpochLeaves(IAsyncEnumerator<LeafBatch> batches) => _batches = batches;

    /// <summary>The rows of the current epoch's leaves.</summary>
    public ReadOnlyMemory<LeafRow> Rows { get; private set; }

    /// <summary>The buffer with the values of these rows. It also has values of other epochs.</summary>
    public ReadOnlyMemory<byte> Values { get; private set; }

    /// <summary>Moves to the leaves of the given epoch. The epoch may have no leaves, as is usual in a log with few updates.</summary>
    public async ValueTask<Refused?> MoveToAsync(ulong epoch)
    {
        Rows = default;
        Values = default;
        if (_next == _batch.Rows.Length)
        {
            if (!await _batches.MoveNextAsync().ConfigureAwait(false))
            {
                return null;
            }
            _batch = _batches.Current;
            _next = 0;
        }
        int first = _next;
        ReadOnlySpan<LeafRow> rows = _batch.Rows.Span;
        if (rows[first].Epoch < epoch)
        {
            return new Refused($"The leaves of epoch {rows[first].Epoch} are out of order.");
        }
        while (_next < rows.Length && rows[_next].Epoch == epoch)
        {
            _next++;
        }
        Rows = _batch.Rows[first.._next];
        Values = _batch.Values;
        return null;
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _batches.DisposeAsync();
}
