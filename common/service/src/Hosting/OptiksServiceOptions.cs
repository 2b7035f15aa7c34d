namespace Optiks.ServiceDefaults;

/// <summary>OptiksServiceOptions says how a host differs from the others.</summary>
public sealed record OptiksServiceOptions
{
    /// <summary>Name in telemetry, such as <c>optiks-query-service</c>.</summary>
    public required string Name { get; init; }

    /// <summary>DefaultUrl to listen on when neither <c>--urls</c>, <c>ASPNETCORE_URLS</c> nor Kestrel endpoints are configured.</summary>
    public required string DefaultUrl { get; init; }

    /// <summary>Settings that the host reads beside those of the defaults: options by the section that they are bound to. A setting under <c>Optiks:</c> that none of them has is refused.</summary>
    public required IReadOnlyDictionary<string, Type> Settings { get; init; }

    /// <summary>MaxRequestBodyLength in octets of the longest body that an endpoint takes; endpoints pass their exact limits to <see cref="RequestBody.ReadAsync"/>.</summary>
    /// <value>1 MiB.</value>
    public long MaxRequestBodyLength { get; init; } = 1024 * 1024;
}
