using Optiks.Protocol;
using Optiks.Storage;
using Optiks.Tlog;

namespace Optiks.UpdateTask.Board;

/// <summary>
/// BoardState keeps what must be durable beside the board before an epoch is signed: its bundle, and the high-water mark. Its caller holds the board's lock.
/// </summary>
/// <remarks>
/// Invariant: whoever reads the highest of mark and newest bundle never gets less than the last epoch that was signed. Both are consulted because a process that was paused
/// between its check and its write may, when it wakes, still put its older mark over a newer one; it cannot take bundles away.
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

    /// <summary>Highest epoch that was ever about to be signed; null when there never was one.</summary>
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
    /// Record makes the epoch's bundle and the mark durable, in this order, and between them takes what the epoch erased out of the bundles before it, which are none the worse for it if the epoch is never signed: it is
    /// committed. Refuses (<see cref="StartupException"/>, exit code 4) when either names another record for this epoch,
    /// or the mark is beyond it.
    /// </summary>
    public void Record(EpochContent content)
    {
        EpochRow epoch = content.Epoch;
        HighWaterMark? mark = HighWaterMark.Read(_folder.HighWater);
        if (mark is not null && (mark.Epoch > epoch.Epoch || (mark.Epoch == epoch.Epoch && !mark.Names(epoch.Epoch, epoch.RecordHash.Span))))
        {
            throw Rollback.DatabaseBehind(
                $"The high-water mark names {(mark.Epoch == epoch.Epoch ? "another record for epoch" : "epoch")} {mark.Epoch}, the database's next to sign is {epoch.Epoch}.", _folder);
        }
        WriteBundle(content);
        FailPoints.Hit(FailPoints.Bundle);
        EraseFromBundles(content.Erasures);
        FailPoints.Hit(FailPoints.Erase);
        _files.Replace(Path.GetFileName(_folder.HighWater), new HighWaterMark(epoch.Epoch, epoch.RecordHash).Encode());
        FailPoints.Hit(FailPoints.HighWater);
    }

    /// <summary>
    /// Forget removes what an earlier time as the leader left, where tasks share no folder: it is behind, and bundles may have what others have erased since. The board's lock is held.
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

    // The folder is listed once: afterwards this process alone adds to it.
    private SortedSet<CopyBundleName> Copies => _copies ??= ListCopies();

    /// <summary>RecordCopies makes the bundle of copies durable that were just staged. The board's lock is held, as for <see cref="Record"/>, which comes after it for the epoch of the switch.</summary>
    public void RecordCopies(CopyBundle bundle)
    {
        ArgumentNullException.ThrowIfNull(bundle);
        WriteCopies(bundle);
        _ = Copies.Add(bundle.Name);
    }

    /// <summary>CopiesEnd is the number after the last copy of a period that is in a bundle, which older ones may have been deleted before; null: no bundle of it is there.</summary>
    public int? CopiesEnd(ulong period)
    {
        CopyBundleName? last = null;
        foreach (CopyBundleName name in Copies.Where(name => name.Period == period))
        {
            last = last is null || name.First > last.Value.First ? name : last;
        }
        // Of several that begin there, as after a crash, one may be empty.
        return last is { } newest ? Copies.Where(name => name.Period == period && name.First == newest.First).Max(name => ReadCopies(name).Copies.End) : null;
    }

    /// <summary>
    /// DestroyValues takes values, openings and keys of devices and keys out of the bundles of these epochs, of at most <paramref name="max"/> of them. Gives the epoch to go on with; null: that was all. Before the
    /// values are destroyed in the database.
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
                if (content.Leaves.Rows.Span[i].Structure.HasVersions())
                {
                    ordinals.Add(i);
                }
            }
            ReplaceWithout(content, ordinals);
        }
        return epochs.Length > max ? epochs[max] : null;
    }

    /// <summary>DestroyCopies deletes a period's bundles of copies, in which its secrets are. Before the period is destroyed in the database.</summary>
    public void DestroyCopies(ulong period)
    {
        foreach (CopyBundleName name in Copies.Where(name => name.Period == period).ToArray())
        {
            File.Delete(PathOf(name));
            _ = Copies.Remove(name);
        }
    }

    /// <summary>HasCopies says whether there are bundles of a period's copies.</summary>
    public bool HasCopies(ulong period) => Copies.Any(name => name.Period == period);

    /// <summary>EraseCopies takes values, openings and keys of copies of these numbers out of a period's bundles. Of several bundles that have a row, as after a crash, each loses it.</summary>
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
    /// Prune deletes bundles that are older than the last <paramref name="kept"/> epochs. Replicas do not report yet how far they are; one that
    /// needs older epochs reads them from the database.
    /// </summary>
    public void Prune(ulong publishedEpoch, int kept)
    {
        if (publishedEpoch < (ulong)kept)
        {
            return;
        }
        // The folder is listed once: afterwards it grows by one epoch at a time.
        ulong first = _firstBundle ?? BundleEpochs().DefaultIfEmpty(publishedEpoch).Min();
        ulong firstKept = publishedEpoch - (ulong)kept + 1;
        for (; first < firstKept; first++)
        {
            File.Delete(PathOf(first));
        }
        _firstBundle = first;
        // A database that begins with the first kept bundle has all that was staged before its last epoch.
        while (Copies.Count > 0 && Copies.Min is var oldest && oldest.After + 1 < firstKept)
        {
            File.Delete(PathOf(oldest));
            _ = Copies.Remove(oldest);
        }
    }

    private void WriteCopies(CopyBundle bundle) => _files.Replace($"bundles/{bundle.Name.FileName}", bundle.Encode().Span);

    private string PathOf(CopyBundleName name) => Path.Combine(_folder.Bundles, name.FileName);

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
            var bundle = CopyBundle.Decode(File.ReadAllBytes(PathOf(name)));
            return bundle.Name == name ? bundle : throw new StorageCorruptException($"It is that of {bundle.Name.FileName}.");
        }
        catch (StorageCorruptException e)
        {
            throw Rollback.StateLost($"The bundle {PathOf(name)} cannot be used: {e.Message}", _folder);
        }
    }

    private void WriteBundle(EpochContent content)
    {
        string path = PathOf(content.Epoch.Epoch);
        if (File.Exists(path))
        {
            // Made before a crash. Values may have been erased from the database since, so only the record must be the same.
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
            // Most are older than what is kept.
            if (File.Exists(PathOf(erased.Key)))
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
            EpochContent content = EpochBundle.Decode(File.ReadAllBytes(PathOf(epoch)));
            return content.Epoch.Epoch == epoch ? content : throw new StorageCorruptException($"It is that of epoch {content.Epoch.Epoch}.");
        }
        catch (StorageCorruptException e)
        {
            throw Rollback.StateLost($"The bundle {PathOf(epoch)} cannot be used: {e.Message}", _folder);
        }
    }

    private string PathOf(ulong epoch) => Path.Combine(_folder.Bundles, EpochBundle.FileName(epoch));

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
