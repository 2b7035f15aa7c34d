namespace Optiks.Storage;

/// <summary>The state of an accepted request.</summary>
public enum RequestState
{
    /// <summary>The request is not yet in a published epoch.</summary>
    Pending,

    /// <summary>The request is in a published epoch.</summary>
    Published,

    /// <summary>The update-task refused the request in an epoch that is published.</summary>
    Refused,
}
