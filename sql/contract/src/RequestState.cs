namespace Optiks.Storage;

/// <summary>RequestState of an accepted request.</summary>
public enum RequestState
{
    /// <summary>Not yet in a published epoch.</summary>
    Pending,

    /// <summary>In a published epoch.</summary>
    Published,

    /// <summary>Refused by the task, in an epoch that is published.</summary>
    Refused,
}
