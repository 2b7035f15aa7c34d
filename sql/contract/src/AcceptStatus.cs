namespace Optiks.Storage;

/// <summary>The verdict on a unit. All but <see cref="Accepted"/> left nothing of it in the database.</summary>
public enum AcceptStatus
{
    /// <summary>Durable: by this call, or by an earlier one with the same ids and content.</summary>
    Accepted,

    /// <summary>A request id is known with other content.</summary>
    RequestIdReused,

    /// <summary>A request id's time is too far from the database's clock.</summary>
    RequestIdTime,

    /// <summary>A key has too many pending updates.</summary>
    TooManyPending,

    /// <summary>The database is an older copy than the caller's <see cref="HeadFloor"/> tells of: nothing of the whole call is stored.</summary>
    OlderCopy,
}
