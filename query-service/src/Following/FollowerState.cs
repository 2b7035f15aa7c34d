using Optiks.Protocol;

namespace Optiks.QueryService.Following;

/// <summary>Shows the follower's state to other parts of the service. Thread-safe.</summary>
internal sealed class FollowerState
{
    private const int LogNameLength = 9;

    private volatile TrustAnchor? _anchor;
    private volatile string? _trouble = "Starting.";

    /// <summary>The log's trust anchor; null until the follower has read it.</summary>
    public TrustAnchor? Anchor
    {
        get => _anchor;
        set => _anchor = value;
    }

    /// <summary>A name that distinguishes logs in entity tags; empty until the trust anchor is known.</summary>
    public string LogName => _anchor is { } anchor ? Base64UrlText.Encode(anchor.LogId.Span[..LogNameLength]) : "";

    /// <summary>The largest number of bytes of a key, username or id in the log.</summary>
    public int KeyLength => _anchor?.Configuration.MaxKeyLength ?? ProtocolLimits.MaxKeyLength;

    /// <summary>The number of periods that the log serves, including the current one; 0 until the trust anchor is known.</summary>
    public ulong RetainedPeriods => _anchor?.Configuration.RetainedPeriods ?? 0;

    /// <summary>The reason why the log cannot be followed now, in a sentence without secrets; null while the log is followed.</summary>
    public string? Trouble
    {
        get => _trouble;
        set => _trouble = value;
    }

    /// <summary>The longest time by which an epoch's record may be in the future.</summary>
    public TimeSpan MaxAhead => TimeSpan.FromMilliseconds(_anchor?.Configuration.MaxAheadMs ?? 0);

    /// <summary>The greatest age of an epoch from which the service may make answers.</summary>
    public TimeSpan MaxBehind => TimeSpan.FromMilliseconds(_anchor?.Configuration.MaxBehindMs ?? 0);
}
