using Optiks.Protocol;

namespace Optiks.QueryService.Following;

/// <summary>The follower's state, for other parts of the service. Thread-safe.</summary>
internal sealed class FollowerState
{
    private const int LogNameLength = 9;

    private volatile TrustAnchor? _anchor;
    private volatile string? _trouble = "Starting.";

    /// <summary>The log's trust anchor; null until it is known.</summary>
    public TrustAnchor? Anchor
    {
        get => _anchor;
        set => _anchor = value;
    }

    /// <summary>A name that distinguishes logs in entity tags; empty until the log is known.</summary>
    public string LogName => _anchor is { } anchor ? Base64UrlText.Encode(anchor.LogId.Span[..LogNameLength]) : "";

    /// <summary>The largest number of bytes of a key, username or id in the log.</summary>
    public int KeyLength => _anchor?.Configuration.MaxKeyLength ?? ProtocolLimits.MaxKeyLength;

    /// <summary>The number of periods that are served, which includes the current period; 0 until the log is known.</summary>
    public ulong RetainedPeriods => _anchor?.Configuration.RetainedPeriods ?? 0;

    /// <summary>The reason why the log cannot be followed, in a sentence that anyone may read; null while the log is followed.</summary>
    public string? Trouble
    {
        get => _trouble;
        set => _trouble = value;
    }

    /// <summary>How far in the future an epoch's record may be.</summary>
    public TimeSpan MaxAhead => TimeSpan.FromMilliseconds(_anchor?.Configuration.MaxAheadMs ?? 0);

    /// <summary>The greatest age of an epoch from which answers are made.</summary>
    public TimeSpan MaxBehind => TimeSpan.FromMilliseconds(_anchor?.Configuration.MaxBehindMs ?? 0);
}
