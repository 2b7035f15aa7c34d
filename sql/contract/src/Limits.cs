using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>Limits of accepting updates (docs/spec/rest.md section 6).</summary>
public static class Limits
{
    /// <summary>Pending updates a key.</summary>
    public const int PendingPerKey = ProtocolLimits.MaxPending;

    /// <summary>Items of an atomic request.</summary>
    public const int ItemsPerRequest = ProtocolLimits.MaxItems;

    /// <summary>How far a request id's time may be ahead of the database's clock.</summary>
    public static readonly TimeSpan RequestIdAhead = TimeSpan.FromMinutes(5);

    /// <summary>How far it may be behind.</summary>
    public static readonly TimeSpan RequestIdBehind = TimeSpan.FromHours(24);

    /// <summary>How long after its id's own time a request that is not pending is kept.</summary>
    public static readonly TimeSpan RequestRetention = TimeSpan.FromHours(48);
}
