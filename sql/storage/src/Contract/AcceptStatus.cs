namespace Optiks.Storage;

/// <summary>The verdict on a unit. After any verdict but <see cref="Accepted"/>, this call has stored nothing of the unit.</summary>
public enum AcceptStatus
{
    /// <summary>The unit is durable. This call stored it, or an earlier call with the same ids and content did.</summary>
    Accepted,

    /// <summary>The database already has a request with the same id as one of the unit's requests, but with other content.</summary>
    RequestIdReused,

    /// <summary>The time in a request id is too far from the database's clock.</summary>
    RequestIdTime,

    /// <summary>With this unit, a key would have too many pending updates.</summary>
    TooManyPending,

    /// <summary>The database is older than the caller's <see cref="HeadFloor"/>, so the call stores none of its units.</summary>
    OlderCopy,
}
