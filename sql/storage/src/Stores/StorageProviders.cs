namespace Optiks.Storage;

/// <summary>Selects an engine by its name in the configuration (<c>Optiks:Storage:Provider</c>).</summary>
public static class StorageProviders
{
    /// <summary>
    /// Returns the provider with the given name, ignoring case. Throws <see cref="StorageMisconfiguredException"/> for an unknown name.
    /// </summary>
    public static IStorageProvider Select(string name, params ReadOnlySpan<IStorageProvider> providers)
    {
        var names = new List<string>();
        foreach (IStorageProvider provider in providers)
        {
            if (string.Equals(provider.Name, name, StringComparison.OrdinalIgnoreCase))
            {
                return provider;
            }
            names.Add(provider.Name);
        }
        throw new StorageMisconfiguredException($"Optiks:Storage:Provider is not one of: {string.Join(", ", names)}.");
    }
}
