namespace Optiks.Storage;

/// <summary>The state of an accepted request.</summary>
public enum RequestState
{
    /// <summary>No published epoch has decided the request yet.</summary>
    Pending,

    /// <summary>A published epoch contains the request.</summary>
    Published,

    /// <summary>The update-task refused the request, in an epoch that is now published.</summary>
    Refused,
}
