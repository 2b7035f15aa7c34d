using Optiks.Protocol;
using Optiks.Stress.Load;

namespace Optiks.Stress;

/// <summary>Holds the options about the services and the keys of a run.</summary>
internal sealed record TargetOptions
{
    public required IReadOnlyList<Uri> QueryUrls { get; init; }

    public required IReadOnlyList<Uri> UpdateUrls { get; init; }

    public required TrustAnchor Anchor { get; init; }

    /// <summary>The API key, a secret; null if there is no API key.</summary>
    public string? ApiKey { get; init; }

    public required KeySpace Keys { get; init; }

    /// <summary>The maximum number of requests in flight at the same time.</summary>
    public required int MaxInFlight { get; init; }

    /// <summary>The time limit for one request, counted from its sending.</summary>
    public required TimeSpan Timeout { get; init; }
}

/// <summary>Holds the options about the load of a run and its length.</summary>
internal sealed record RunOptions
{
    public required Mix Mix { get; init; }

    public required Arrivals Arrivals { get; init; }

    /// <summary>The number of requests per second. If the run has a ramp, this is the number in its first stage.</summary>
    public required double Rate { get; init; }

    /// <summary>The measured time in seconds.</summary>
    public required double Duration { get; init; }

    public required double WarmUp { get; init; }

    /// <summary>The factor by which the rate grows from one stage to the next; null if the run has no ramp.</summary>
    public double? RampFactor { get; init; }

    /// <summary>The length of a stage of a ramp, in seconds.</summary>
    public required double StageLength { get; init; }

    /// <summary>
    /// The length, in seconds, of the windows into which the measured time is divided for separate figures; null if the run has no windows.
    /// </summary>
    public double? Window { get; init; }

    /// <summary>The limit for the 99th percentile of the latency, in seconds. A stage of a ramp that exceeds it counts as
    /// saturated.</summary>
    public required double LimitLatency { get; init; }

    /// <summary>The limit for the share of failed and unsent requests, 0 to 1. A stage of a ramp that exceeds it counts as
    /// saturated.</summary>
    public required double LimitErrors { get; init; }

    /// <summary>The number of seconds by which the sending of a request may be late. A request that would be sent later is not
    /// sent.</summary>
    public required double Late { get; init; }

    /// <summary>The Zipf exponent with which lookups pick keys; 0 picks keys uniformly.</summary>
    public required double ZipfExponent { get; init; }

    /// <summary>The Zipf exponent with which updates pick keys; 0 picks keys uniformly.</summary>
    public required double UpdateZipfExponent { get; init; }

    /// <summary>The share of the answers that the program verifies, 0 to 1.</summary>
    public required double VerifyShare { get; init; }

    /// <summary>The share of the updated keys, 0 to 1, whose updates the program follows to their publication.</summary>
    public required double FollowShare { get; init; }

    /// <summary>The greatest number of updated keys that the program compares with their histories.</summary>
    public required int CheckKeys { get; init; }

    /// <summary>The number of seconds after the load within which accepted updates must be published.</summary>
    public required double SettleSeconds { get; init; }

    public required int Seed { get; init; }
}
