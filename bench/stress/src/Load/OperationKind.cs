namespace Optiks.Stress.Load;

/// <summary>OperationKind is one sort of request in a mix.</summary>
internal enum OperationKind
{
    /// <summary>Lookup of a prepared key.</summary>
    Hit,

    /// <summary>Lookup of a name that nobody has.</summary>
    Absent,

    /// <summary>Lookup of a prepared key with many versions.</summary>
    Versions,

    /// <summary>History of a prepared key, from its first version.</summary>
    History,

    /// <summary>Monitoring of a prepared key, from its first version.</summary>
    Monitor,

    /// <summary>Audit proof of one recent epoch.</summary>
    Audit,

    /// <summary>One update.</summary>
    Update,

    /// <summary>A list of updates.</summary>
    Batch,
}
