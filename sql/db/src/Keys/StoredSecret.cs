using System.Security.Cryptography;
using Optiks.Db.Fsck;
using Optiks.Secrets;
using Optiks.Storage;

namespace Optiks.Db.Keys;

/// <summary>StoredSecret is one secret that is stored wrapped.</summary>
/// <param name="Name">Where it is, for messages.</param>
/// <param name="Purpose">Of <see cref="SecretPurpose"/>.</param>
/// <param name="Wrapped">Its octets.</param>
/// <param name="Period">Period whose secrets they are; null: the log's key.</param>
/// <param name="InBundle">It is a copy in a bundle, which <c>import-bundles</c> may need.</param>
internal sealed record StoredSecret(string Name, string Purpose, ReadOnlyMemory<byte> Wrapped, ulong? Period, bool InBundle)
{
    /// <summary>OfPeriods are those of the database, without the ones that are destroyed.</summary>
    public static IEnumerable<StoredSecret> OfPeriods(IReadOnlyList<PeriodRow> periods) => periods.Where(row => !row.WrappedSecrets.IsEmpty)
        .Select(row => new StoredSecret(FormattableString.Invariant($"period {row.Period}"), SecretPurpose.PeriodSecrets(row.Period), row.WrappedSecrets, row.Period, InBundle: false));

    /// <summary>OfLogKey is that of this host; none where it has no log key, or has it in a token.</summary>
    public static IEnumerable<StoredSecret> OfLogKey(KeyPlace place) => place.HasWrappedLogKey
        ? [new StoredSecret("log key", SecretPurpose.LogKey, WrappedLogKey.Read(place.Folder), Period: null, InBundle: false)] : [];

    /// <summary>OfBundlesAsync are those of this host's bundles. Throws <see cref="StorageCorruptException"/> for one that is damaged.</summary>
    public static async Task<IReadOnlyList<StoredSecret>> OfBundlesAsync(KeyPlace place, CancellationToken cancellationToken)
    {
        string folder = new BoardPaths(place.Folder.Board).Bundles;
        var secrets = new List<StoredSecret>();
        // Secrets are with the first rows of a period alone.
        foreach ((CopyBundleName name, string path) in (Directory.Exists(folder) ? BoardPaths.CopyBundlesIn(folder) : []).Where(bundle => bundle.Name.First == 0))
        {
            CopyBundle bundle;
            try
            {
                bundle = CopyBundle.Decode(await File.ReadAllBytesAsync(path, cancellationToken));
            }
            catch (FileNotFoundException)
            {
                // The task deletes those that nobody needs.
                continue;
            }
            if (!bundle.WrappedSecrets.IsEmpty)
            {
                secrets.Add(new StoredSecret($"bundle {name.FileName}", SecretPurpose.PeriodSecrets(name.Period), bundle.WrappedSecrets, name.Period, InBundle: true));
            }
        }
        return secrets;
    }

    /// <summary>Unwraps it with keys, has a function look at it, and overwrites it. Throws <see cref="SecretsException"/> that names where it is.</summary>
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
