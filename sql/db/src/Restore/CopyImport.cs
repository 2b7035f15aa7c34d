using System.Security.Cryptography;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Storage;

namespace Optiks.Db.Restore;

/// <summary>
/// Adds to an older copy of the database the rows of copies that it lacks. The newer database staged each bundle's rows between two epochs.
/// The import adds the rows between the same two epochs.
/// </summary>
internal sealed class CopyImport
{
    private readonly MaintenanceStore _store;
    private readonly Lease _lease;
    private readonly ISecretSource _secrets;
    private readonly TrustAnchor _anchor;
    private readonly Queue<(CopyBundleName Name, string Path)> _bundles;

    public CopyImport(MaintenanceStore store, Lease lease, ISecretSource secrets, TrustAnchor anchor,
        IReadOnlyList<(CopyBundleName Name, string Path)> bundles)
    {
        _store = store;
        _lease = lease;
        _secrets = secrets;
        _anchor = anchor;
        _bundles = new Queue<(CopyBundleName Name, string Path)>(bundles);
    }

    /// <summary>
    /// Adds the rows that were staged after the database's last epoch (<paramref name="last"/>) or after earlier epochs. Throws
    /// <see cref="StorageCorruptException"/> if a bundle does not follow the stored copies.
    /// </summary>
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
            return bundle.Name == name ? bundle : throw new StorageCorruptException($"It is the bundle {bundle.Name.FileName}.");
        }
        catch (Exception e) when (e is StorageCorruptException or IOException or UnauthorizedAccessException)
        {
            throw new StorageCorruptException($"The bundle {path} cannot be used: {e.Message}", e);
        }
    }

    // Writes the period's row if it does not exist. An existing row stays as it is: it already has its secrets, unless the period has ended
    // and its secrets were destroyed.
    private async Task BeginAsync(CopyBundle bundle, string path, CancellationToken cancellationToken)
    {
        IReadOnlyList<PeriodRow> periods = await _store.ReadPeriodsAsync(cancellationToken);
        PeriodRow? present = periods.FirstOrDefault(period => period.Period == bundle.Copies.Period);
        if (bundle.WrappedSecrets.IsEmpty)
        {
            if (present is null)
            {
                throw new StorageCorruptException(
                    $"The bundle {path} belongs to a period that did not begin: the bundle of its first copies is missing.");
            }
            return;
        }
        if (present is { WrappedSecrets.IsEmpty: false } && !HasSameSecrets(present, bundle, path))
        {
            throw new StorageCorruptException(
                $"The bundle {path} has other secrets of period {bundle.Copies.Period} than the database: they belong to different histories.");
        }
        if (present is null)
        {
            _ = await _store.BeginPeriodAsync(
                _lease, bundle.Copies.Period, Rewrapped(bundle, PeriodRows.Current(periods)), CancellationToken.None);
        }
    }

    // Returns whether the database and the bundle have the same secrets. If the wrapped bytes differ, this method compares the unwrapped
    // secrets, because a rotation may have wrapped them by another key.
    private bool HasSameSecrets(PeriodRow present, CopyBundle bundle, string path)
    {
        if (present.WrappedSecrets.Span.SequenceEqual(bundle.WrappedSecrets.Span))
        {
            return true;
        }
        try
        {
            using DirectorySecrets stored = _secrets.UnwrapPeriod(present.WrappedSecrets.Span, present.Period, _anchor.LogId.Span);
            using DirectorySecrets bundled = _secrets.UnwrapPeriod(bundle.WrappedSecrets.Span, present.Period, _anchor.LogId.Span);
            return CryptographicOperations.FixedTimeEquals(stored.Octets, bundled.Octets);
        }
        catch (SecretsException e)
        {
            throw new StorageCorruptException(
                $"The secrets of period {present.Period} in the bundle {path} and in the database cannot be compared: a key is missing, or they belong to different histories. {e.Message}", e);
        }
    }

    // Returns the bundle's secrets, wrapped by the key that wraps the current period's secrets. The next period's secrets must be wrapped
    // by the same key.
    private byte[] Rewrapped(CopyBundle bundle, PeriodRow current)
    {
        using DirectorySecrets secrets = _secrets.UnwrapPeriod(
            bundle.WrappedSecrets.Span, bundle.Copies.Period, _anchor.LogId.Span, out KeyId by);
        using DirectorySecrets before = _secrets.UnwrapPeriod(
            current.WrappedSecrets.Span, current.Period, _anchor.LogId.Span, out KeyId wanted);
        return by == wanted
            ? bundle.WrappedSecrets.ToArray()
            : _secrets.WrapPeriod(secrets, bundle.Copies.Period, _anchor.LogId.Span, wanted);
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
                    : new StorageCorruptException(
                        $"The copies of {path} do not follow those of the database, or their sources are not there: a bundle is missing, or another program writes to this database.");
            }
        }
        catch (ArgumentException e)
        {
            throw new StorageCorruptException($"The bundle {path} contradicts itself: {e.Message}", e);
        }
    }
}
