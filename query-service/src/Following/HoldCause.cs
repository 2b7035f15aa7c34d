namespace Optiks.QueryService.Following;

/// <summary>Says whose matter a <see cref="Hold"/> is.</summary>
internal enum HoldCause
{
    /// <summary>Something is still to come.</summary>
    Waiting,

    /// <summary>The database's log is refused: an alarm.</summary>
    Refused,

    /// <summary>The database cannot be reached.</summary>
    Database,

    /// <summary>A key or the trust anchor cannot be used, or the token that has the key-encryption key.</summary>
    Key,

    /// <summary>The disk is full or failing, or no descriptor is left.</summary>
    Disk,
}
