namespace Optiks.Storage;

/// <summary>Picks an engine by the name that configuration gives it (<c>Optiks:Storage:Provider</c>).</summary>
public static class StorageProviders
{
    /// <summary>Returns the provider of that name, without regard to case; <see cref="StorageMisconfiguredException"/> for an unknown name.</summary>
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
