namespace Optiks.Stress.Load;

/// <summary>Lists the kinds of requests that a mix can have.</summary>
internal enum OperationKind
{
    /// <summary>Looks up a prepared key.</summary>
    Hit,

    /// <summary>Looks up a key that does not exist.</summary>
    Absent,

    /// <summary>Looks up a prepared key that has many versions.</summary>
    Versions,

    /// <summary>Requests the history of a prepared key, from its first version on.</summary>
    History,

    /// <summary>Requests the monitoring of a prepared key, from its first version on.</summary>
    Monitor,

    /// <summary>Requests the audit proof of a recent epoch.</summary>
    Audit,

    /// <summary>Sends a request with one update.</summary>
    Update,

    /// <summary>Sends a request with a list of updates.</summary>
    Batch,
}
