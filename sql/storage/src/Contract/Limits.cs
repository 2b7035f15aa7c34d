using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>Holds the limits that apply when updates are accepted (docs/spec/rest.md section 6).</summary>
public static class Limits
{
    /// <summary>The largest number of pending updates per key.</summary>
    public const int PendingPerKey = ProtocolLimits.MaxPending;

    /// <summary>The largest number of items in an atomic request.</summary>
    public const int ItemsPerRequest = ProtocolLimits.MaxItems;

    /// <summary>The longest time by which a request id's time may be ahead of the database's clock.</summary>
    public static readonly TimeSpan RequestIdAhead = TimeSpan.FromMinutes(5);

    /// <summary>The longest time by which a request id's time may be behind the database's clock.</summary>
    public static readonly TimeSpan RequestIdBehind = TimeSpan.FromHours(24);

    /// <summary>How long the database keeps a request that is not pending, counted from the time in its id.</summary>
    public static readonly TimeSpan RequestRetention = TimeSpan.FromHours(48);
}
