namespace Optiks.Stress.Load;

/// <summary>The kinds of requests in a mix.</summary>
internal enum OperationKind
{
    /// <summary>Lookup of a prepared key.</summary>
    Hit,

    /// <summary>Lookup of a key that does not exist.</summary>
    Absent,

    /// <summary>Lookup of a prepared key with many versions.</summary>
    Versions,

    /// <summary>History of a prepared key, from its first version.</summary>
    History,

    /// <summary>Monitoring of a prepared key, from its first version.</summary>
    Monitor,

    /// <summary>Audit proof of one recent epoch.</summary>
    Audit,

    /// <summary>Request with one update.</summary>
    Update,

    /// <summary>Request with a list of updates.</summary>
    Batch,
}
