using Optiks.Secrets;

namespace Optiks.Db.Keys;

/// <summary>Says of a key what needs it on this host and in its database.</summary>
/// <param name="Key">Its id.</param>
/// <param name="Source">Where the ring has it; null: the ring does not.</param>
/// <param name="Stored">Names of what it wraps in the database, and of the log's key.</param>
/// <param name="Bundles">Names of the bundles whose copies it wraps.</param>
internal sealed record KeyUse(KeyId Key, string? Source, IReadOnlyList<string> Stored, IReadOnlyList<string> Bundles)
{
    /// <summary>IsNeeded by anything.</summary>
    public bool IsNeeded => Stored.Count + Bundles.Count > 0;

    /// <summary>Gives the keys of a ring in their order, and behind them those that secrets name and the ring lacks. Opens everything that the ring has the key of.</summary>
    /// <param name="secrets">What is stored.</param>
    /// <param name="keys">The ring.</param>
    /// <param name="logId">Of the log.</param>
    /// <param name="problems">Gets a sentence for each secret that does not open.</param>
    public static IReadOnlyList<KeyUse> OfAll(IEnumerable<StoredSecret> secrets, OpenedRing keys, ReadOnlyMemory<byte> logId, ICollection<string> problems)
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
