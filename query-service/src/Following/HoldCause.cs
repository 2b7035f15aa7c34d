namespace Optiks.QueryService.Following;

/// <summary>The causes of a <see cref="Hold"/>.</summary>
internal enum HoldCause
{
    /// <summary>The replica waits for something that does not exist yet.</summary>
    Waiting,

    /// <summary>The database's log is refused, which is an alarm.</summary>
    Refused,

    /// <summary>The database cannot be reached.</summary>
    Database,

    /// <summary>A key, the trust anchor, or the token that holds the key-encryption key cannot be used.</summary>
    Key,

    /// <summary>The disk is full or failing, or no file descriptor is left.</summary>
    Disk,
}
