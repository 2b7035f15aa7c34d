namespace Optiks.Storage;

/// <summary>The verdict on a unit. Every verdict but <see cref="Accepted"/> means that the database holds nothing of the unit.</summary>
public enum AcceptStatus
{
    /// <summary>The unit is durable. This call stored it, or an earlier call with the same ids and content did.</summary>
    Accepted,

    /// <summary>The database already has a request with an id of the unit, but with other content.</summary>
    RequestIdReused,

    /// <summary>A request id's time is too far from the database's clock.</summary>
    RequestIdTime,

    /// <summary>A key has too many pending updates.</summary>
    TooManyPending,

    /// <summary>The database is older than the caller's <see cref="HeadFloor"/>: nothing of the whole call is stored.</summary>
    OlderCopy,
}
