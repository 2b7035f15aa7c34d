using System.Security.Cryptography;
using Optiks.Db.Fsck;
using Optiks.Secrets;
using Optiks.Storage;

namespace Optiks.Db.Keys;

/// <summary>One secret in its stored, wrapped form.</summary>
/// <param name="Name">The place where the secret is stored, for messages.</param>
/// <param name="Purpose">The secret's purpose, one of those in <see cref="SecretPurpose"/>.</param>
/// <param name="Wrapped">The wrapped bytes.</param>
/// <param name="Period">The period to which the secret belongs; null if the secret is the log key.</param>
/// <param name="InBundle">Whether the secret is in a bundle, which <c>import-bundles</c> may need.</param>
internal sealed record StoredSecret(string Name, string Purpose, ReadOnlyMemory<byte> Wrapped, ulong? Period, bool InBundle)
{
    /// <summary>Returns the secrets in the database, except destroyed secrets.</summary>
    public static IEnumerable<StoredSecret> FindInPeriods(IReadOnlyList<PeriodRow> periods) =>
        periods.Where(row => !row.WrappedSecrets.IsEmpty)
        .Select(
            row => new StoredSecret(FormattableString.Invariant($"period {row.Period}"), SecretPurpose.PeriodSecrets(row.Period),
                row.WrappedSecrets, row.Period, InBundle: false));

    /// <summary>Returns the log key of this host. The result is empty if this host has no log key, or has it in a token.</summary>
    public static IEnumerable<StoredSecret> FindLogKey(KeyPlace place) => place.HasWrappedLogKey
        ? [new StoredSecret("log key", SecretPurpose.LogKey, WrappedLogKey.Read(place.Folder), Period: null, InBundle: false)] : [];

    /// <summary>Returns the secrets in the bundles on this host. Throws <see cref="StorageCorruptException"/> if a bundle is
    /// damaged.</summary>
    public static async Task<IReadOnlyList<StoredSecret>> FindInBundlesAsync(KeyPlace place, CancellationToken cancellationToken)
    {
        string folder = new BoardPaths(place.Folder.Board).Bundles;
        var secrets = new List<StoredSecret>();
        // Only the bundle with a period's first rows contains secrets.
        foreach ((CopyBundleName name,
            string path) in (Directory.Exists(folder) ? BoardPaths.CopyBundlesIn(folder) : []).Where(bundle => bundle.Name.First == 0))
        {
            CopyBundle bundle;
            try
            {
                bundle = CopyBundle.Decode(await File.ReadAllBytesAsync(path, cancellationToken));
            }
            catch (FileNotFoundException)
            {
                // The update-task may have deleted this bundle, because it is no longer needed.
                continue;
            }
            if (!bundle.WrappedSecrets.IsEmpty)
            {
                secrets.Add(
                    new StoredSecret($"bundle {name.FileName}", SecretPurpose.PeriodSecrets(name.Period), bundle.WrappedSecrets,
                        name.Period, InBundle: true));
            }
        }
        return secrets;
    }

    /// <summary>
    /// Unwraps the secret, passes it to the function <paramref name="use"/>, and overwrites it in memory. If the secret does not open,
    /// throws <see cref="SecretsException"/>, whose message names the secret's place.
    /// </summary>
    public T Open<T>(OpenedRing keys, ReadOnlySpan<byte> logId, Func<byte[], KeyId, T> use)
    {
        byte[] secret;
        KeyId by;
        try
        {
            secret = keys.Unwrap(Wrapped.Span, Purpose, logId, out by);
        }
        catch (SecretsException e) when (InBundle)
        {
            throw new SecretsException($"{Name}: {e.Message}", e);
        }
        try
        {
            return use(secret, by);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(secret);
        }
    }
}
