namespace Optiks.QueryService.Following;

/// <summary>The kinds of causes of a <see cref="Hold"/>.</summary>
internal enum HoldCause
{
    /// <summary>The replica waits for something that does not exist yet, such as the first epoch.</summary>
    Waiting,

    /// <summary>The replica refuses the log in the database, which is an alarm.</summary>
    Refused,

    /// <summary>The database cannot be reached.</summary>
    Database,

    /// <summary>A key, the trust anchor, or the token that holds the key-encryption key cannot be used.</summary>
    Key,

    /// <summary>The disk is full or fails, or the process has no file descriptor left.</summary>
    Disk,
}
