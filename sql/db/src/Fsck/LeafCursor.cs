using Optiks.Storage;

namespace Optiks.Db.Fsck;

/// <summary>Reads the leaves in order, from a given epoch on, and returns them epoch by epoch.</summary>
internal sealed class LeafCursor(ConsistentRead read, ulong first = 0)
{
    private const int Page = 16_384;

    private IReadOnlyList<StoredLeaf> _page = [];
    private int _position;
    private (ulong Epoch, int Ordinal) _next = (first, 0);
    private bool _ended;

    /// <summary>Returns the leaves of all epochs up to the given <paramref name="epoch"/>, except those that it has already
    /// returned.</summary>
    public async Task<List<StoredLeaf>> TakeAsync(ulong epoch, CancellationToken cancellationToken)
    {
        var taken = new List<StoredLeaf>();
        while (await PeekAsync(cancellationToken) is { } leaf && leaf.Epoch <= epoch)
        {
            taken.Add(leaf);
            _position++;
        }
        return taken;
    }

    /// <summary>Returns the next leaf without consuming it; null if there is no further leaf.</summary>
    public async Task<StoredLeaf?> PeekAsync(CancellationToken cancellationToken)
    {
        if (_position == _page.Count && !_ended)
        {
            _page = await read.ReadLeavesAsync(_next.Epoch, _next.Ordinal, Page, cancellationToken);
            _position = 0;
            _ended = _page.Count == 0;
            if (!_ended)
            {
                _next = (_page[^1].Epoch, _page[^1].Ordinal + 1);
            }
        }
        return _position < _page.Count ? _page[_position] : null;
    }
}
