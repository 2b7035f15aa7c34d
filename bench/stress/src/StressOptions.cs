using Optiks.Protocol;
using Optiks.Stress.Load;

namespace Optiks.Stress;

/// <summary>TargetOptions name the services and the keys.</summary>
internal sealed record TargetOptions
{
    public required IReadOnlyList<Uri> QueryUrls { get; init; }

    public required IReadOnlyList<Uri> UpdateUrls { get; init; }

    public required TrustAnchor Anchor { get; init; }

    /// <summary>ApiKey, a secret; null: none.</summary>
    public string? ApiKey { get; init; }

    public required KeySpace Keys { get; init; }

    /// <summary>MaxInFlight bounds the requests in flight.</summary>
    public required int MaxInFlight { get; init; }

    /// <summary>Timeout of one request, from its sending.</summary>
    public required TimeSpan Timeout { get; init; }
}

/// <summary>RunOptions say what load is offered, and for how long.</summary>
internal sealed record RunOptions
{
    public required Mix Mix { get; init; }

    public required Arrivals Arrivals { get; init; }

    /// <summary>Rate of requests a second; with a ramp that of the first stage.</summary>
    public required double Rate { get; init; }

    /// <summary>Duration of the measured time in seconds.</summary>
    public required double Duration { get; init; }

    public required double WarmUp { get; init; }

    /// <summary>RampFactor from one stage to the next; null: no ramp.</summary>
    public double? RampFactor { get; init; }

    /// <summary>StageLength of a ramp in seconds.</summary>
    public required double StageLength { get; init; }

    /// <summary>Window of the measured time, in seconds, of each of which there are figures; null: there are none.</summary>
    public double? Window { get; init; }

    /// <summary>LimitLatency (99th percentile, seconds) beyond which a stage of a ramp is saturated.</summary>
    public required double LimitLatency { get; init; }

    /// <summary>LimitErrors is the share of failed and unsent requests beyond which a stage is saturated.</summary>
    public required double LimitErrors { get; init; }

    /// <summary>Late is how long after its intended start a request may still be sent, in seconds.</summary>
    public required double Late { get; init; }

    /// <summary>ZipfExponent of lookups; 0: uniform.</summary>
    public required double ZipfExponent { get; init; }

    /// <summary>UpdateZipfExponent of updates; 0: uniform.</summary>
    public required double UpdateZipfExponent { get; init; }

    /// <summary>VerifyShare of the answers that are verified, 0 to 1.</summary>
    public required double VerifyShare { get; init; }

    /// <summary>FollowShare of the updated keys, all of whose updates are followed to publication, 0 to 1.</summary>
    public required double FollowShare { get; init; }

    /// <summary>CheckKeys is how many updated keys at most are compared with their history.</summary>
    public required int CheckKeys { get; init; }

    /// <summary>SettleSeconds that accepted updates may take to be published after the load.</summary>
    public required double SettleSeconds { get; init; }

    public required int Seed { get; init; }
}
