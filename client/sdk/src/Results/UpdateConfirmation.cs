namespace Optiks.Client;

/// <summary>Says whether the log provably holds an update that the server calls published.</summary>
public enum UpdateConfirmation
{
    /// <summary>The client has not checked yet.</summary>
    None,

    /// <summary>The version that the server named has the value that was set.</summary>
    Confirmed,

    /// <summary>The version that the server named does not exist, or does not have the value that was set.</summary>
    Contradicted,

    /// <summary>
    /// The latest version is later than the named version, and the client could not see the named version: its value was erased, or the
    /// server gives no history.
    /// </summary>
    Unproven,
}
