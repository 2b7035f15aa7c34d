using Optiks.Protocol;
using Optiks.Stress.Load;

namespace Optiks.Stress;

/// <summary>Names the services and the keys.</summary>
internal sealed record TargetOptions
{
    public required IReadOnlyList<Uri> QueryUrls { get; init; }

    public required IReadOnlyList<Uri> UpdateUrls { get; init; }

    public required TrustAnchor Anchor { get; init; }

    /// <summary>The API key, a secret; null if there is no API key.</summary>
    public string? ApiKey { get; init; }

    public required KeySpace Keys { get; init; }

    /// <summary>The greatest number of requests in flight.</summary>
    public required int MaxInFlight { get; init; }

    /// <summary>The time limit of one request, counted from when it is sent.</summary>
    public required TimeSpan Timeout { get; init; }
}

/// <summary>Says which load a run offers, and for how long.</summary>
internal sealed record RunOptions
{
    public required Mix Mix { get; init; }

    public required Arrivals Arrivals { get; init; }

    /// <summary>The number of requests per second; with a ramp, the number in the first stage.</summary>
    public required double Rate { get; init; }

    /// <summary>The measured time in seconds.</summary>
    public required double Duration { get; init; }

    public required double WarmUp { get; init; }

    /// <summary>The factor of the rate from one stage to the next; null if the run has no ramp.</summary>
    public double? RampFactor { get; init; }

    /// <summary>The length of a ramp's stage in seconds.</summary>
    public required double StageLength { get; init; }

    /// <summary>
    /// The length in seconds of the windows of the measured time that get separate figures; null if the run has no windows.
    /// </summary>
    public double? Window { get; init; }

    /// <summary>The 99th percentile of the latency, in seconds, beyond which a stage of a ramp counts as saturated.</summary>
    public required double LimitLatency { get; init; }

    /// <summary>The share of failed and unsent requests, 0 to 1, beyond which a stage of a ramp counts as saturated.</summary>
    public required double LimitErrors { get; init; }

    /// <summary>The time after its intended start within which the program may still send a request, in seconds.</summary>
    public required double Late { get; init; }

    /// <summary>The Zipf exponent with which lookups pick keys; 0 picks keys uniformly.</summary>
    public required double ZipfExponent { get; init; }

    /// <summary>The Zipf exponent with which updates pick keys; 0 picks keys uniformly.</summary>
    public required double UpdateZipfExponent { get; init; }

    /// <summary>The share of the answers that the program verifies, 0 to 1.</summary>
    public required double VerifyShare { get; init; }

    /// <summary>The share of the updated keys, 0 to 1. The program follows all updates of these keys to their publication.</summary>
    public required double FollowShare { get; init; }

    /// <summary>The greatest number of updated keys that the program compares with their histories.</summary>
    public required int CheckKeys { get; init; }

    /// <summary>The number of seconds after the load within which accepted updates must be published.</summary>
    public required double SettleSeconds { get; init; }

    public required int Seed { get; init; }
}
