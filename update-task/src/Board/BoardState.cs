using Optiks.Protocol;
using Optiks.Storage;
using Optiks.Tlog;

namespace Optiks.UpdateTask.Board;

/// <summary>
/// Keeps the files that must be durable next to the board before an epoch is signed: the epoch's bundle and the high-water mark. The caller
/// must hold the board's lock.
/// </summary>
/// <remarks>
/// Invariant: the high-water mark or the newest bundle names the last signed epoch or a later one. Both files are read, because a process
/// may be paused after it checked the mark and before it writes the mark. When the process resumes, it may overwrite a newer mark with its
/// older mark, but it cannot remove the newer bundles.
/// </remarks>
internal sealed class BoardState
{
    private readonly BoardFolder _folder;
    private readonly DurableFiles _files;
    private ulong? _firstBundle;
    private SortedSet<CopyBundleName>? _copies;

    public BoardState(BoardFolder folder)
    {
        _folder = folder;
        _files = new DurableFiles(folder.State);
    }

    /// <summary>
    /// Returns the mark of the highest epoch that any task was ever about to sign. Returns null if there was no such epoch.
    /// </summary>
    public HighWaterMark? Highest()
    {
        HighWaterMark? mark;
        try
        {
            mark = HighWaterMark.Read(_folder.HighWater);
        }
        catch (InvalidDataException e)
        {
            throw new StartupException(ExitCodes.Rollback, e.Message, e);
        }
        ulong? newest = null;
        foreach (ulong epoch in BundleEpochs())
        {
            newest = Math.Max(newest ?? 0, epoch);
        }
        if (newest is null || (mark is not null && mark.Epoch >= newest))
        {
            return mark;
        }
        EpochContent bundle = ReadBundle(newest.Value);
        return new HighWaterMark(bundle.Epoch.Epoch, bundle.Epoch.RecordHash);
    }

    /// <summary>
    /// Writes the epoch's bundle durably, removes from earlier bundles the values that the epoch erased, and then writes the high-water
    /// mark durably. The removal does no harm even if the epoch is never signed, because the database has committed the epoch. Throws
    /// <see cref="StartupException"/> with exit code 4 if the bundle or the mark names another record for this epoch, or if the mark names
    /// a later epoch.
    /// </summary>
    public void Record(EpochContent content)
    {
        EpochRow epoch = content.Epoch;
        HighWaterMark? mark = HighWaterMark.Read(_folder.HighWater);
        if (mark is not null
            && (mark.Epoch > epoch.Epoch || (mark.Epoch == epoch.Epoch && !mark.Names(epoch.Epoch, epoch.RecordHash.Span))))
        {
            throw Rollback.DatabaseBehind(
                $"The high-water mark names {(mark.Epoch == epoch.Epoch ? "another record for epoch" : "epoch")} {mark.Epoch}; the database's next epoch to sign is {epoch.Epoch}.", _folder);
        }
        WriteBundle(content);
        FailPoints.Hit(FailPoints.Bundle);
        EraseFromBundles(content.Erasures);
        FailPoints.Hit(FailPoints.Erase);
        _files.Replace(Path.GetFileName(_folder.HighWater), new HighWaterMark(epoch.Epoch, epoch.RecordHash).Encode());
        FailPoints.Hit(FailPoints.HighWater);
    }

    /// <summary>
    /// Deletes the mark and the bundles that this process wrote when it held an earlier lease. Only tasks that share no folder need this
    /// method. Their old files are out of date, and the old bundles may contain values that other tasks have erased since. The caller must
    /// hold the board's lock.
    /// </summary>
    public void Forget()
    {
        File.Delete(_folder.HighWater);
        foreach (string path in Directory.EnumerateFiles(_folder.Bundles))
        {
            File.Delete(path);
        }
        DurableFiles.SyncFolder(_folder.Bundles);
        DurableFiles.SyncFolder(_folder.State);
        (_copies, _firstBundle) = (null, null);
    }

    // The folder of bundles is listed only once. Afterwards only this process adds files to the folder.
    private SortedSet<CopyBundleName> Copies => _copies ??= ListCopies();

    /// <summary>
    /// Writes a bundle of copies durably, after the database has staged the copies. The caller must hold the board's lock. The method
    /// <see cref="Record"/> later records the epoch that begins the copies' period.
    /// </summary>
    public void RecordCopies(CopyBundle bundle)
    {
        ArgumentNullException.ThrowIfNull(bundle);
        WriteCopies(bundle);
        _ = Copies.Add(bundle.Name);
    }

    /// <summary>
    /// Returns the number of the last bundled copy of a period, plus 1. Returns null if the period has no bundle of copies. This method
    /// does not need the period's older bundles, which may have been deleted.
    /// </summary>
    public int? CopiesEnd(ulong period)
    {
        CopyBundleName? last = null;
        foreach (CopyBundleName name in Copies.Where(name => name.Period == period))
        {
            last = last is null || name.First > last.Value.First ? name : last;
        }
        // After a crash, several bundles may begin with the same copy, and one of these bundles may be empty.
        return last is { } newest
            ? Copies.Where(name => name.Period == period && name.First == newest.First).Max(name => ReadCopies(name).Copies.End)
            : null;
    }

    /// <summary>
    /// Removes the values, openings and keys of the structures <c>devices</c> and <c>keys</c> from the bundles of a range of epochs. One
    /// call changes at most the number of bundles that the parameter <paramref name="max"/> gives. Returns the epoch with which the next
    /// call must continue, or null if no bundle of the range remains. The caller must destroy the values in the database afterwards.
    /// </summary>
    public ulong? DestroyValues(ulong first, ulong last, int max)
    {
        ulong[] epochs = [.. BundleEpochs().Where(epoch => epoch >= first && epoch <= last).Order().Take(max + 1)];
        foreach (ulong epoch in epochs.Take(max))
        {
            EpochContent content = ReadBundle(epoch);
            var ordinals = new HashSet<int>();
            for (int i = 0; i < content.Leaves.Rows.Length; i++)
            {
                if (content.Leaves.Rows.Span[i].Structure.IsPerPeriod())
                {
                    ordinals.Add(i);
                }
            }
            ReplaceWithout(content, ordinals);
        }
        return epochs.Length > max ? epochs[max] : null;
    }

    /// <summary>
    /// Deletes a period's bundles of copies, which contain the period's secrets. The caller must destroy the period in the database
    /// afterwards.
    /// </summary>
    public void DestroyCopies(ulong period)
    {
        foreach (CopyBundleName name in Copies.Where(name => name.Period == period).ToArray())
        {
            File.Delete(GetPath(name));
            _ = Copies.Remove(name);
        }
    }

    /// <summary>Returns whether the folder contains bundles of a period's copies.</summary>
    public bool HasCopies(ulong period) => Copies.Any(name => name.Period == period);

    /// <summary>
    /// Removes the values, openings and keys of the copies with these numbers from all bundles of a period's copies. After a crash, several
    /// bundles may contain the same copy.
    /// </summary>
    public void EraseCopies(ulong period, IReadOnlySet<int> numbers)
    {
        int last = numbers.DefaultIfEmpty(-1).Max();
        foreach (CopyBundleName name in Copies.Where(name => name.Period == period && name.First <= last).ToArray())
        {
            if (ReadCopies(name).Without(numbers) is { } left)
            {
                WriteCopies(left);
            }
        }
    }

    /// <summary>
    /// Deletes the bundles of old epochs. The parameter <paramref name="kept"/> gives how many of the newest epochs keep their bundles.
    /// Replicas do not report their progress yet, so bundles that a replica still needs may be deleted. Such a replica reads those epochs
    /// from the database.
    /// </summary>
    public void Prune(ulong publishedEpoch, int kept)
    {
        if (publishedEpoch < (ulong)kept)
        {
            return;
        }
        // The folder of bundles is listed only at the first call. Later calls know the first bundle that is still there, because only this
        // method deletes bundles.
        ulong first = _firstBundle ?? BundleEpochs().DefaultIfEmpty(publishedEpoch).Min();
        ulong firstKept = publishedEpoch - (ulong)kept + 1;
        for (; first < firstKept; first++)
        {
            File.Delete(GetPath(first));
        }
        _firstBundle = first;
        // Bundles of copies are deleted once no database needs them. A database that can still import the first kept epoch already contains
        // every copy that was staged before its own last epoch.
        while (Copies.Count > 0 && Copies.Min is var oldest && oldest.After + 1 < firstKept)
        {
            File.Delete(GetPath(oldest));
            _ = Copies.Remove(oldest);
        }
    }

    private void WriteCopies(CopyBundle bundle) => _files.Replace($"bundles/{bundle.Name.FileName}", bundle.Encode().Span);

    private string GetPath(CopyBundleName name) => Path.Combine(_folder.Bundles, name.FileName);

    private SortedSet<CopyBundleName> ListCopies()
    {
        var names = new SortedSet<CopyBundleName>();
        foreach (string path in Directory.Exists(_folder.Bundles) ? Directory.EnumerateFiles(_folder.Bundles) : [])
        {
            if (CopyBundleName.TryParse(Path.GetFileName(path), out CopyBundleName name))
            {
                _ = names.Add(name);
            }
        }
        return names;
    }

    private CopyBundle ReadCopies(CopyBundleName name)
    {
        try
        {
            var bundle = CopyBundle.Decode(File.ReadAllBytes(GetPath(name)));
            return bundle.Name == name ? bundle : throw new StorageCorruptException($"It is the bundle {bundle.Name.FileName}.");
        }
        catch (StorageCorruptException e)
        {
            throw Rollback.StateLost($"The bundle {GetPath(name)} cannot be used: {e.Message}", _folder);
        }
    }

    private void WriteBundle(EpochContent content)
    {
        string path = GetPath(content.Epoch.Epoch);
        if (File.Exists(path))
        {
            // The bundle was written before a crash. Values may have been erased from the database since, so only the record in the bundle
            // must equal the database's record.
            if (!ReadBundle(content.Epoch.Epoch).Epoch.RecordHash.Span.SequenceEqual(content.Epoch.RecordHash.Span))
            {
                throw Rollback.DatabaseBehind(
                    $"The bundle {path} holds another record for epoch {content.Epoch.Epoch} than the database.", _folder);
            }
            _files.Sync($"bundles/{Path.GetFileName(path)}");
            return;
        }
        _files.Replace($"bundles/{Path.GetFileName(path)}", EpochBundle.Encode(content).Span);
    }

    private void EraseFromBundles(IReadOnlyList<Erasure> erasures)
    {
        foreach (IGrouping<ulong, Erasure> erased in erasures.Where(erasure => erasure.Period is null).GroupBy(erasure => erasure.Epoch))
        {
            // The bundle of the erased value's epoch is usually no longer kept, because most erased values are old.
            if (File.Exists(GetPath(erased.Key)))
            {
                ReplaceWithout(ReadBundle(erased.Key), erased.Select(erasure => erasure.Ordinal).ToHashSet());
            }
        }
        foreach (IGrouping<ulong, Erasure> erased in erasures.Where(erasure => erasure.Period is not null)
            .GroupBy(erasure => erasure.Period!.Value))
        {
            EraseCopies(erased.Key, erased.Select(erasure => erasure.Ordinal).ToHashSet());
        }
    }

    private void ReplaceWithout(EpochContent content, HashSet<int> ordinals)
    {
        if (BundleErasure.Without(content, ordinals) is { } left)
        {
            _files.Replace($"bundles/{EpochBundle.FileName(content.Epoch.Epoch)}", EpochBundle.Encode(left).Span);
        }
    }

    private EpochContent ReadBundle(ulong epoch)
    {
        try
        {
            EpochContent content = EpochBundle.Decode(File.ReadAllBytes(GetPath(epoch)));
            return content.Epoch.Epoch == epoch
                ? content
                : throw new StorageCorruptException($"It is the bundle of epoch {content.Epoch.Epoch}.");
        }
        catch (StorageCorruptException e)
        {
            throw Rollback.StateLost($"The bundle {GetPath(epoch)} cannot be used: {e.Message}", _folder);
        }
    }

    private string GetPath(ulong epoch) => Path.Combine(_folder.Bundles, EpochBundle.FileName(epoch));

    private IEnumerable<ulong> BundleEpochs()
    {
        if (!Directory.Exists(_folder.Bundles))
        {
            yield break;
        }
        foreach (string path in Directory.EnumerateFiles(_folder.Bundles))
        {
            if (EpochBundle.TryParseFileName(Path.GetFileName(path), out ulong epoch))
            {
                yield return epoch;
            }
        }
    }
}
