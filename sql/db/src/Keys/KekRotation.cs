using System.Security.Cryptography;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Storage;

namespace Optiks.Db.Keys;

/// <summary>
/// Wraps every stored secret again with one key of the ring (docs/spec/wrapping.md section 4). Each secret gets its own transaction, and
/// the update-task and query-services may run. The operator can stop the rotation at any time and repeat it, because a ring with both keys
/// opens all secrets at any time.
/// </summary>
internal sealed class KekRotation
{
    private readonly MaintenanceStore _store;
    private readonly KeyPlace _place;
    private readonly OpenedRing _keys;
    private readonly KeyEncryptionKey _target;
    private readonly byte[] _logId;
    private readonly HashSet<KeyId> _from = [];

    private KekRotation(MaintenanceStore store, KeyPlace place, OpenedRing keys, KeyEncryptionKey target, TrustAnchor anchor)
    {
        _store = store;
        _place = place;
        _keys = keys;
        _target = target;
        _logId = anchor.LogId.ToArray();
    }

    /// <summary>
    /// Wraps all secrets again and checks the result. If a secret does not open with the ring, throws <see cref="SecretsException"/>; if a
    /// rotation to another key is under way, throws <see cref="KekRefusedException"/>. In both cases nothing has been changed.
    /// </summary>
    /// <param name="store">The database.</param>
    /// <param name="place">The keys of the host.</param>
    /// <param name="to">The key that will wrap the secrets; null means the last key of the ring.</param>
    /// <param name="logKeyOut">The path of a new file for the wrapped log key. It is needed on a host whose log key is in an environment
    /// variable or a credential.</param>
    /// <param name="cancellationToken">Stops the rotation after the current secret.</param>
    public static async Task<KekRotationResult> RunAsync(
        MaintenanceStore store, KeyPlace place, KeyId? to, string? logKeyOut, CancellationToken cancellationToken)
    {
        TrustAnchor anchor = place.Anchor();
        using OpenedRing keys = place.Ring().Open();
        var rotation = new KekRotation(store, place, keys, to is null ? keys.Keys[^1] : keys.Get(to), anchor);
        return await rotation.RunAsync(logKeyOut, cancellationToken);
    }

    private async Task<KekRotationResult> RunAsync(string? logKeyOut, CancellationToken cancellationToken)
    {
        string? logKeyFile = LogKeyFile(logKeyOut);
        // Before the rotation changes anything, all secrets must open.
        foreach (StoredSecret secret in StoredSecret.FindInPeriods(await _store.ReadPeriodsAsync(cancellationToken))
            .Concat(StoredSecret.FindLogKey(_place)))
        {
            _ = _from.Add(secret.Open(_keys, _logId, (_, by) => by));
        }
        int periods = await RewrapPeriodsAsync(cancellationToken);
        FailPoints.Hit(FailPoints.KekPeriods);
        bool logKey = RewrapLogKey(logKeyFile);
        FailPoints.Hit(FailPoints.KekLogKey);
        await CheckAsync(logKeyFile, cancellationToken);
        IReadOnlyList<StoredSecret> bundles = await StoredSecret.FindInBundlesAsync(_place, cancellationToken);
        // The rotation does not fail if the secrets in a bundle do not open, because `kek status` reports such secrets. The rotation has
        // already checked all secrets that are in use.
        IReadOnlyList<KeyUse> uses = KeyUse.FindAll(bundles, _keys, _logId, problems: []);
        return new KekRotationResult(_target.Id, periods, logKey ? logKeyFile : null, [.. uses.Where(use => use.Key != _target.Id)]);
    }

    // Returns the path of the file for the wrapped log key; null if this host has no log key, or has it in a token.
    private string? LogKeyFile(string? given)
    {
        if (!_place.HasWrappedLogKey)
        {
            return given is null
                ? null
                : throw new KekRefusedException("This host has no wrapped log key: --log-key-out has nothing to write.");
        }
        string? file = WrappedLogKey.FindPath(_place.Folder);
        return (file, given) switch
        {
            ({ }, null) => file,
            (null, { } path) => !File.Exists(path)
                ? Path.GetFullPath(path)
                : throw new KekRefusedException($"{Path.GetFullPath(path)} exists: keys are never overwritten."),
            ({ }, _) =>
                throw new KekRefusedException(
                    $"The log's key is in {file} and is rewrapped there: --log-key-out is for a key in a variable or a credential."),
            _ => throw new KekRefusedException(
                $"The log's key comes from {WrappedLogKey.DescribeSource(_place.Folder)}, which this command cannot change: give --log-key-out FILE, and afterwards replace the key at its source by that file."),
        };
    }

    private async Task<int> RewrapPeriodsAsync(CancellationToken cancellationToken)
    {
        int done = 0;
        while (true)
        {
            IReadOnlyList<PeriodRow> periods = await _store.ReadPeriodsAsync(cancellationToken);
            if (periods.Count == 0)
            {
                return done;
            }
            // The rotation begins with the current period's secrets. From then on, no period can begin with secrets that another key wraps.
            ulong current = PeriodRows.Current(periods).Period;
            StoredSecret[] left = [.. StoredSecret.FindInPeriods(periods).Where(secret => !IsDone(secret))
                .OrderByDescending(secret => secret.Period == current)];
            if (left.Length == 0)
            {
                return done;
            }
            foreach (StoredSecret secret in left)
            {
                cancellationToken.ThrowIfCancellationRequested();
                byte[] after = Rewrapped(secret);
                FailPoints.Hit(FailPoints.KekPeriod);
                // If another program has destroyed or wrapped the secrets since this loop read them, this call changes nothing, and the
                // loop examines the period again.
                done += await _store.RewrapSecretsAsync(secret.Period!.Value, secret.Wrapped, after, cancellationToken) ? 1 : 0;
            }
        }
    }

    private bool IsDone(StoredSecret secret) => KeyId.TryRead(secret.Wrapped.Span, out KeyId by) && by == _target.Id;

    private byte[] Rewrapped(StoredSecret secret) => secret.Open(_keys, _logId, (octets, by) =>
    {
        if (by != _target.Id && !_from.Contains(by))
        {
            throw new KekRefusedException(
                $"Another rotation, to the key {by}, is in progress: wait until it ends, then run the command again to rotate to {_target.Id}.");
        }
        byte[] after = _target.Wrap(octets, secret.Purpose, _logId);
        byte[] again = _target.Unwrap(after, secret.Purpose, _logId);
        bool same = CryptographicOperations.FixedTimeEquals(again, octets);
        CryptographicOperations.ZeroMemory(again);
        return same ? after : throw new SecretsException($"{_target} does not open what it wrapped: nothing more was changed.");
    });

    private bool RewrapLogKey(string? file)
    {
        if (StoredSecret.FindLogKey(_place).FirstOrDefault() is not { } secret
            || (IsDone(secret) && file == WrappedLogKey.FindPath(_place.Folder)))
        {
            return false;
        }
        AtomicFile.Write(file!, Rewrapped(secret), AtomicFile.PrivateMode);
        return true;
    }

    // Checks that all stored secrets open with a ring that has only the new key.
    private async Task CheckAsync(string? logKeyFile, CancellationToken cancellationToken)
    {
        IEnumerable<StoredSecret> stored = StoredSecret.FindInPeriods(await _store.ReadPeriodsAsync(cancellationToken));
        if (logKeyFile is not null)
        {
            stored = stored.Append(
                new StoredSecret("log key", SecretPurpose.LogKey, SecretFile.Read(logKeyFile), Period: null, InBundle: false));
        }
        foreach (StoredSecret secret in stored)
        {
            if (!IsDone(secret))
            {
                throw new KekRefusedException(
                    $"After everything was rewrapped, {secret.Name} is wrapped with another key again: run the command again.");
            }
            CryptographicOperations.ZeroMemory(_target.Unwrap(secret.Wrapped.Span, secret.Purpose, _logId));
        }
    }
}
