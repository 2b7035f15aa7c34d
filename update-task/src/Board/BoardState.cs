using Optiks.Protocol;
using Optiks.Storage;
using Optiks.Tlog;

namespace Optiks.UpdateTask.Board;

/// <summary>
/// Keeps the files that must be durable next to the board before an epoch is signed: the epoch's bundle and the high-water mark. The caller
/// must hold the board's lock.
/// </summary>
/// <remarks>
/// Invariant: the higher of mark and newest bundle is never below the last signed epoch. Both are read because a process may be paused
/// between its check and its write. When it resumes, it may overwrite a newer mark with its older mark, but it cannot remove bundles.
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

    /// <summary>Returns the highest epoch that a task was ever about to sign; null if no task was ever about to sign an epoch.</summary>
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
    /// Makes the epoch's bundle and then the mark durable. Between the two it removes the values that the epoch erased from earlier
    /// bundles. Removing them does no harm even if the epoch is never signed, because the epoch is committed. Refuses
    /// (<see cref="StartupException"/>, exit code 4) if the bundle or the mark names another record for this epoch, or if the mark is
    /// beyond this epoch.
    /// </summary>
    public void Record(EpochContent content)
    {
        EpochRow epoch = content.Epoch;
        HighWaterMark? mark = HighWaterMark.Read(_folder.HighWater);
        if (mark is not null && (mark.Epoch > epoch.Epoch || (mark.Epoch == epoch.Epoch && !mark.Names(epoch.Epoch, epoch.RecordHash.Span))))
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
    /// Removes the files that this process wrote when it led earlier. It applies where tasks share no folder. The files are out of date,
    /// and their bundles may contain values that other tasks have erased since. The caller holds the board's lock.
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

    // The folder is listed only once, because afterwards only this process adds files to it.
    private SortedSet<CopyBundleName> Copies => _copies ??= ListCopies();

    /// <summary>
    /// Makes the bundle of copies that were just staged durable. The caller must hold the board's lock. The epoch of the switch itself is
    /// recorded later by <see cref="Record"/>.
    /// </summary>
    public void RecordCopies(CopyBundle bundle)
    {
        ArgumentNullException.ThrowIfNull(bundle);
        WriteCopies(bundle);
        _ = Copies.Add(bundle.Name);
    }

    /// <summary>
    /// Returns the number after the last copy of a period in any bundle; null if no bundle of the period exists. Older bundles may have
    /// been deleted.
    /// </summary>
    public int? CopiesEnd(ulong period)
    {
        CopyBundleName? last = null;
        foreach (CopyBundleName name in Copies.Where(name => name.Period == period))
        {
            last = last is null || name.First > last.Value.First ? name : last;
        }
        // After a crash, several bundles may begin with the same copy, and one of them may be empty.
        return last is { } newest ? Copies.Where(name => name.Period == period && name.First == newest.First).Max(name => ReadCopies(name).Copies.End) : null;
    }

    /// <summary>
    /// Removes values, openings and keys of devices and keys from the bundles of these epochs, from at most <paramref name="max"/> of them.
    /// Returns the epoch with which the next call continues, or null if all bundles are done. The caller must destroy the values in the
    /// database afterwards.
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

    /// <summary>Returns whether there are bundles of a period's copies.</summary>
    public bool HasCopies(ulong period) => Copies.Any(name => name.Period == period);

    /// <summary>
    /// Removes values, openings and keys of the copies with these numbers from a period's bundles. If several bundles contain a row, as
    /// after a crash, the row is removed from each.
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
    /// Deletes bundles that are older than the last <paramref name="kept"/> epochs. Replicas do not report their progress yet; a replica
    /// that needs older epochs therefore reads them from the database.
    /// </summary>
    public void Prune(ulong publishedEpoch, int kept)
    {
        if (publishedEpoch < (ulong)kept)
        {
            return;
        }
        // The folder is listed only once, because afterwards it grows by one epoch at a time.
        ulong first = _firstBundle ?? BundleEpochs().DefaultIfEmpty(publishedEpoch).Min();
        ulong firstKept = publishedEpoch - (ulong)kept + 1;
        for (; first < firstKept; first++)
        {
            File.Delete(GetPath(first));
        }
        _firstBundle = first;
        // A database that begins with the first kept bundle already contains every copy that was staged before its last epoch.
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
            // The bundle was made before a crash. Values may have been erased from the database since, so only the record must be the same.
            if (!ReadBundle(content.Epoch.Epoch).Epoch.RecordHash.Span.SequenceEqual(content.Epoch.RecordHash.Span))
            {
                throw Rollback.DatabaseBehind($"The bundle {path} holds another record for epoch {content.Epoch.Epoch} than the database.", _folder);
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
            // Most erased values are in epochs whose bundles are no longer kept.
            if (File.Exists(GetPath(erased.Key)))
            {
                ReplaceWithout(ReadBundle(erased.Key), erased.Select(erasure => erasure.Ordinal).ToHashSet());
            }
        }
        foreach (IGrouping<ulong, Erasure> erased in erasures.Where(erasure => erasure.Period is not null).GroupBy(erasure => erasure.Period!.Value))
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
            return content.Epoch.Epoch == epoch ? content : throw new StorageCorruptException($"It is the bundle of epoch {content.Epoch.Epoch}.");
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
