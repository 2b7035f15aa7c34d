using Optiks.Protocol;

namespace Optiks.QueryService.Following;

/// <summary>What the follower tells others about itself. Any thread.</summary>
internal sealed class FollowerState
{
    private const int LogNameLength = 9;

    private volatile TrustAnchor? _anchor;
    private volatile string? _trouble = "Starting.";

    /// <summary>Anchor of the log; null until it is known.</summary>
    public TrustAnchor? Anchor
    {
        get => _anchor;
        set => _anchor = value;
    }

    /// <summary>Tells logs apart in entity tags; empty until the log is known.</summary>
    public string LogName => _anchor is { } anchor ? Base64UrlText.Encode(anchor.LogId.Span[..LogNameLength]) : "";

    /// <summary>How many octets a key, username or id of the log may have.</summary>
    public int KeyLength => _anchor?.Configuration.MaxKeyLength ?? ProtocolLimits.MaxKeyLength;

    /// <summary>The current period and those before it that are served; 0 until the log is known.</summary>
    public ulong RetainedPeriods => _anchor?.Configuration.RetainedPeriods ?? 0;

    /// <summary>Trouble is why the log cannot be followed, in a sentence for anyone's eyes; null when it is being followed.</summary>
    public string? Trouble
    {
        get => _trouble;
        set => _trouble = value;
    }

    /// <summary>How far from the future an epoch's record may be.</summary>
    public TimeSpan MaxAhead => TimeSpan.FromMilliseconds(_anchor?.Configuration.MaxAheadMs ?? 0);

    /// <summary>How old an epoch may be that is answered from.</summary>
    public TimeSpan MaxBehind => TimeSpan.FromMilliseconds(_anchor?.Configuration.MaxBehindMs ?? 0);
}
