using Optiks.Storage;

namespace Optiks.Db.Restore;

/// <summary>CopyImport adds what an older copy of a database lacks of the period that is made ahead, between the epochs among which it was staged.</summary>
internal sealed class CopyImport
{
    private readonly IMaintenanceStore _store;
    private readonly Lease _lease;
    private readonly Queue<(CopyBundleName Name, string Path)> _bundles;

    public CopyImport(IMaintenanceStore store, Lease lease, IReadOnlyList<(CopyBundleName Name, string Path)> bundles)
    {
        _store = store;
        _lease = lease;
        _bundles = new Queue<(CopyBundleName Name, string Path)>(bundles);
    }

    /// <summary>AddAsync adds the rows that were staged after epochs up to this one, which is the database's last. Throws <see cref="StorageCorruptException"/> for bundles that do not connect.</summary>
    public async Task AddAsync(ulong last, CancellationToken cancellationToken)
    {
        while (_bundles.TryPeek(out (CopyBundleName Name, string Path) next) && next.Name.After <= last)
        {
            CopyBundle bundle = await ReadAsync(next.Name, next.Path, cancellationToken);
            await BeginAsync(bundle, next.Path, cancellationToken);
            await AddAsync(bundle, next.Path);
            _ = _bundles.Dequeue();
        }
    }

    private static async Task<CopyBundle> ReadAsync(CopyBundleName name, string path, CancellationToken cancellationToken)
    {
        try
        {
            var bundle = CopyBundle.Decode(await File.ReadAllBytesAsync(path, cancellationToken));
            return bundle.Name == name ? bundle : throw new StorageCorruptException($"It is that of {bundle.Name.FileName}.");
        }
        catch (Exception e) when (e is StorageCorruptException or IOException or UnauthorizedAccessException)
        {
            throw new StorageCorruptException($"The bundle {path} cannot be used: {e.Message}", e);
        }
    }

    // A period that is there has its secrets: of one that ended they may be destroyed.
    private async Task BeginAsync(CopyBundle bundle, string path, CancellationToken cancellationToken)
    {
        PeriodRow? present = (await _store.ReadPeriodsAsync(cancellationToken)).FirstOrDefault(period => period.Period == bundle.Copies.Period);
        if (bundle.WrappedSecrets.IsEmpty)
        {
            if (present is null)
            {
                throw new StorageCorruptException($"The bundle {path} is of a period that did not begin: the bundle of its first copies is missing.");
            }
            return;
        }
        if (present is { WrappedSecrets.IsEmpty: false } && !present.WrappedSecrets.Span.SequenceEqual(bundle.WrappedSecrets.Span))
        {
            throw new StorageCorruptException($"The bundle {path} has other secrets of period {bundle.Copies.Period} than the database: they are not of one history.");
        }
        if (present is null)
        {
            _ = await _store.BeginPeriodAsync(_lease, bundle.Copies.Period, bundle.WrappedSecrets, CancellationToken.None);
        }
    }

    private async Task AddAsync(CopyBundle bundle, string path)
    {
        if (bundle.Copies.Rows.IsEmpty)
        {
            return;
        }
        try
        {
            StageResult result = await _store.RestoreCopiesAsync(_lease, bundle.Copies, CancellationToken.None);
            if (result != StageResult.Staged)
            {
                throw result == StageResult.Unknown
                    ? new StorageUnavailableException($"Whether the copies of {path} were added is not known: run the command again.")
                    : new StorageCorruptException($"The copies of {path} do not follow those of the database, or their sources are not there: a bundle is missing, or another program writes to this database.");
            }
        }
        catch (ArgumentException e)
        {
            throw new StorageCorruptException($"The bundle {path} contradicts itself: {e.Message}", e);
        }
    }
}
