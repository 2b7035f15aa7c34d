namespace Optiks.Client;

/// <summary>Says whether the log provably holds an update that the server calls published.</summary>
public enum UpdateConfirmation
{
    /// <summary>The client has not checked yet.</summary>
    None,

    /// <summary>The version that the server named has the value that was set.</summary>
    Confirmed,

    /// <summary>The version that the server named does not exist, or has another value.</summary>
    Contradicted,

    /// <summary>
    /// A later version is the latest, and the named one could not be seen: the value was erased, or the server gives no history.
    /// </summary>
    Unproven,
}
