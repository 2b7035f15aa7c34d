using Optiks.Native;
using Optiks.Storage;

namespace Optiks.QueryService.Following;

/// <summary>
/// Holds the trees of a period that has ended, at the period's last epoch. Readers use only the view and the record; only the follower uses
/// the other members.
/// </summary>
internal sealed class EndedPeriod
{
    /// <summary>The size of the cache of an ended period's trees. It is small because an owner asks about an ended period only
    /// once.</summary>
    public const long NodeCacheBytes = 16 << 20;

    private readonly LogTrees _trees;
    private bool _isShrunk;

    /// <summary>Takes ownership of the period's trees, which must be at the period's last epoch.</summary>
    public EndedPeriod(LogTrees trees, VerifiedEpoch last)
    {
        _trees = trees;
        Period = trees.Period;
        Record = last.Row.Record;
        Epoch = last.Epoch;
        ErasedThrough = last.Epoch;
        // The view must come after this call, because earlier views keep memory in use.
        Shrink();
        View = trees.Directory.TakeView();
    }

    public ulong Period { get; }

    /// <summary>The last epoch of the period.</summary>
    public ulong Epoch { get; }

    /// <summary>The encoded record of the period's last epoch.</summary>
    public ReadOnlyMemory<byte> Record { get; }

    /// <summary>The view of the trees. <see cref="Retire"/> releases the reference that the view's creator holds.</summary>
    public DirectoryView View { get; }

    /// <summary>Whether the trees are in a node store on the disk, so that only a small part of them is in memory.</summary>
    public bool IsInFile => _trees.IsStored;

    /// <summary>The epoch up to which all erasures have been applied to these trees.</summary>
    public ulong ErasedThrough { get; private set; }

    /// <summary>
    /// Destroys the values that the epochs up to a given one (<paramref name="through"/>) have erased. The given erasures may include
    /// erasures that were applied before; these have no effect. Returns a refusal if an erased leaf does not exist.
    /// </summary>
    public Refused? Erase(IReadOnlyList<StoredErasure> erasures, ulong through)
    {
        Refused? refused = _trees.Erase(erasures);
        if (refused is null)
        {
            ErasedThrough = through;
        }
        return refused;
    }

    /// <summary>
    /// Reduces the memory of trees in a node store, which had the caches of a current period. If readers of the current period still use
    /// the trees, some memory stays in use until a later call.
    /// </summary>
    public void Shrink() => _isShrunk = _isShrunk || !IsInFile || _trees.Directory.TryShrink(NodeCacheBytes);

    /// <summary>Releases the creator's reference to the view, so that no further reader can acquire it.</summary>
    public void Retire() => View.Dispose();

    /// <summary>Closes the trees if no reader uses them any more; returns false while a reader uses them.</summary>
    public bool TryDispose()
    {
        if (View.TryAcquire())
        {
            View.Release();
            return false;
        }
        _trees.Dispose();
        return true;
    }

    /// <summary>Closes the trees. No reader may use them any more.</summary>
    public void Close()
    {
        Retire();
        _trees.Dispose();
    }
}
