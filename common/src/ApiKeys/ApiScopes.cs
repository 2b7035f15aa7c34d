namespace Optiks.ApiKeys;

/// <summary>ApiScopes are what an API key allows (docs/spec/rest.md section 3).</summary>
[Flags]
public enum ApiScopes
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>Update: write.</summary>
    Update = 1,

    /// <summary>History and monitoring, which reveal old values.</summary>
    History = 2,

    /// <summary>Lookup, where the operator has closed lookups.</summary>
    Lookup = 4,

    /// <summary>Snapshot: another replica's, which has all keys' values in it.</summary>
    Snapshot = 8,

    /// <summary>Erase values for good.</summary>
    Erase = 16,

    /// <summary>Metrics of a program, for Prometheus.</summary>
    Metrics = 32,
}
