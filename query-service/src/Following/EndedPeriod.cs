using Optiks.Native;
using Optiks.Storage;
using Optiks.Storage.Replay;

namespace Optiks.QueryService.Following;

/// <summary>
/// A period that has ended, with its trees at its last epoch. Readers use the view and the record; only the follower uses the other
/// members.
/// </summary>
internal sealed class EndedPeriod
{
    private readonly LogTrees _trees;

    /// <summary>Takes over the trees, which are at the period's last epoch.</summary>
    public EndedPeriod(LogTrees trees, VerifiedEpoch last)
    {
        _trees = trees;
        Period = trees.Period;
        Record = last.Row.Record;
        Epoch = last.Epoch;
        ErasedThrough = last.Epoch;
        View = trees.Directory.TakeView();
    }

    public ulong Period { get; }

    /// <summary>The last epoch of the period.</summary>
    public ulong Epoch { get; }

    /// <summary>The encoded record of that epoch.</summary>
    public ReadOnlyMemory<byte> Record { get; }

    /// <summary>The view of the trees. <see cref="Retire"/> releases its creator's reference.</summary>
    public DirectoryView View { get; }

    /// <summary>Whether the trees are in a node store on disk, so that only a small part of them is in memory.</summary>
    public bool IsInFile => _trees.IsStored;

    /// <summary>The epoch up to which all erasures are applied here.</summary>
    public ulong ErasedThrough { get; private set; }

    /// <summary>
    /// Destroys the values that the epochs up to <paramref name="through"/> have erased. May destroy the same values again. Returns a
    /// refusal when an erased leaf does not exist.
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

    /// <summary>Releases the creator's reference, so that no further reader can begin.</summary>
    public void Retire() => View.Dispose();

    /// <summary>Closes the trees unless a reader still has them; returns false while a reader has them.</summary>
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

    /// <summary>Closes the trees of a period that has no readers any more.</summary>
    public void Close()
    {
        Retire();
        _trees.Dispose();
    }
}
