using System.Runtime.CompilerServices;
using Optiks.Storage;

namespace Optiks.Db.Fsck;

/// <summary>Reads the copies in order, from a given period on, and returns them period by period.</summary>
internal sealed class CopyCursor(ConsistentRead read, ulong first = 0)
{
    private const int Page = 4096;

    private IReadOnlyList<StoredCopy> _page = [];
    private int _position;
    private (ulong Period, int Number) _next = (first, 0);

    /// <summary>Returns the copies of all periods up to the given <paramref name="period"/>, except those that it has already
    /// returned.</summary>
    public async IAsyncEnumerable<StoredCopy> TakeAsync(ulong period, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        while (true)
        {
            if (_position == _page.Count)
            {
                _page = await read.ReadCopiesAsync(_next.Period, _next.Number, Page, cancellationToken);
                _position = 0;
                if (_page.Count == 0)
                {
                    yield break;
                }
                _next = (_page[^1].Period, _page[^1].Number + 1);
            }
            if (_page[_position].Period > period)
            {
                yield break;
            }
            yield return _page[_position++];
        }
    }
}
