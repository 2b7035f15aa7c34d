namespace Optiks.ApiKeys;

/// <summary>Lists the rights that an API key can have (docs/spec/rest.md section 3).</summary>
[Flags]
public enum ApiScopes
{
    /// <summary>The caller may do nothing.</summary>
    None = 0,

    /// <summary>The caller may send updates.</summary>
    Update = 1,

    /// <summary>The caller may read histories and monitoring answers, which reveal old values.</summary>
    History = 2,

    /// <summary>The caller may look keys up, if the operator requires a credential for lookups.</summary>
    Lookup = 4,

    /// <summary>The caller may download a snapshot for another replica; the snapshot contains the values of all keys.</summary>
    Snapshot = 8,

    /// <summary>The caller may erase values permanently.</summary>
    Erase = 16,

    /// <summary>The caller, such as Prometheus, may read a program's metrics.</summary>
    Metrics = 32,
}
