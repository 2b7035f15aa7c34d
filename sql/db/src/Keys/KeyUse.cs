using Optiks.Secrets;

namespace Optiks.Db.Keys;

/// <summary>Says what a key-encryption key wraps on this host and in its database.</summary>
/// <param name="Key">The key's id.</param>
/// <param name="Source">The place from which the ring takes the key; null if the ring lacks the key.</param>
/// <param name="Stored">The names of the secrets that the key wraps, which are secrets in the database and the log key.</param>
/// <param name="Bundles">The names of the bundles that contain secrets that the key wraps.</param>
internal sealed record KeyUse(KeyId Key, string? Source, IReadOnlyList<string> Stored, IReadOnlyList<string> Bundles)
{
    /// <summary>Whether any secret needs the key.</summary>
    public bool IsNeeded => Stored.Count + Bundles.Count > 0;

    /// <summary>
    /// Returns the uses of all keys of a ring, in the ring's order, and then the uses of keys that secrets name but the ring lacks. Opens
    /// every secret whose key the ring has.
    /// </summary>
    /// <param name="secrets">The stored secrets to examine.</param>
    /// <param name="keys">The ring.</param>
    /// <param name="logId">The log's id.</param>
    /// <param name="problems">The list to which the method adds a sentence for each secret that does not open.</param>
    public static IReadOnlyList<KeyUse> FindAll(
        IEnumerable<StoredSecret> secrets, OpenedRing keys, ReadOnlyMemory<byte> logId, ICollection<string> problems)
    {
        var found = new List<(KeyId By, StoredSecret Secret)>();
        foreach (StoredSecret secret in secrets)
        {
            try
            {
                found.Add((secret.Open(keys, logId.Span, (_, by) => by), secret));
            }
            catch (SecretsException e)
            {
                problems.Add(e.Message);
                if (KeyId.TryRead(secret.Wrapped.Span, out KeyId named))
                {
                    found.Add((named, secret));
                }
            }
        }
        IEnumerable<KeyId> all = keys.Keys.Select(key => key.Id).Concat(found.Select(one => one.By)).Distinct();
        return
        [
            .. all.Select(id => new KeyUse(
                id, keys.Keys.FirstOrDefault(key => key.Id == id)?.Source,
                [.. found.Where(one => one.By == id && !one.Secret.InBundle).Select(one => one.Secret.Name)],
                [.. found.Where(one => one.By == id && one.Secret.InBundle).Select(one => one.Secret.Name)])),
        ];
    }
}
