namespace Optiks.ApiKeys;

/// <summary>Lists the rights that an API key can have (docs/spec/rest.md section 3).</summary>
[Flags]
public enum ApiScopes
{
    /// <summary>Allows nothing.</summary>
    None = 0,

    /// <summary>Writes updates.</summary>
    Update = 1,

    /// <summary>Reads histories and monitoring answers, which reveal old values.</summary>
    History = 2,

    /// <summary>Looks keys up, where the operator requires a credential for lookups.</summary>
    Lookup = 4,

    /// <summary>Downloads a snapshot for another replica; the snapshot contains the values of all keys.</summary>
    Snapshot = 8,

    /// <summary>Erases values permanently.</summary>
    Erase = 16,

    /// <summary>Reads a program's metrics, for Prometheus.</summary>
    Metrics = 32,
}
