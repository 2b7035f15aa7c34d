using Optiks.Native;
using Optiks.Storage;
using Optiks.Storage.Replay;

namespace Optiks.QueryService.Following;

/// <summary>A period that has ended, with its trees at its last epoch. Readers use the view and the record, the follower alone the rest.</summary>
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

    /// <summary>The period's last one.</summary>
    public ulong Epoch { get; }

    /// <summary>Record of that epoch, encoded.</summary>
    public ReadOnlyMemory<byte> Record { get; }

    /// <summary>View of the trees. Its maker's reference goes with <see cref="Retire"/>.</summary>
    public DirectoryView View { get; }

    /// <summary>IsInFile: the trees are in a node store, of which little is in memory.</summary>
    public bool IsInFile => _trees.IsStored;

    /// <summary>The epoch up to which all erasures have been made here.</summary>
    public ulong ErasedThrough { get; private set; }

    /// <summary>Destroys what the epochs up to one have erased; again, where it was destroyed before. Refused when a leaf is not there.</summary>
    public Refused? Erase(IReadOnlyList<StoredErasure> erasures, ulong through)
    {
        Refused? refused = _trees.Erase(erasures);
        if (refused is null)
        {
            ErasedThrough = through;
        }
        return refused;
    }

    /// <summary>Gives back the maker's reference: no reader begins any more.</summary>
    public void Retire() => View.Dispose();

    /// <summary>Closes the trees once no reader has them. False: one does still.</summary>
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

    /// <summary>Ends what has no readers any more.</summary>
    public void Close()
    {
        Retire();
        _trees.Dispose();
    }
}
