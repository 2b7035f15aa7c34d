using Microsoft.Extensions.Options;

namespace Optiks.QueryService.Options;

[OptionsValidator]
internal sealed partial class QueryServiceRangeValidator : IValidateOptions<QueryServiceOptions>;

/// <summary>Checks the settings' ranges, and checks that an API key may be sent to the addresses of the snapshot peers.</summary>
internal sealed class QueryServiceOptionsValidator : IValidateOptions<QueryServiceOptions>
{
    private readonly QueryServiceRangeValidator _ranges = new();

    public ValidateOptionsResult Validate(string? name, QueryServiceOptions options)
    {
        ValidateOptionsResult ranges = _ranges.Validate(name, options);
        return ranges.Failed ? ranges : Problem(options) is { } problem
            ? ValidateOptionsResult.Fail($"{QueryServiceOptions.Section}:{problem}")
            : ValidateOptionsResult.Success;
    }

    private static string? Problem(QueryServiceOptions options) =>
        options.SnapshotPeers.FirstOrDefault(peer => !IsAddress(peer)) is { } wrong
            ? $"{nameof(options.SnapshotPeers)}: '{ErrorText.Address(wrong)}' is not an address such as https://replica-2.example.org, without path, query and user. http is allowed for this machine only: elsewhere, values and the key would travel in the clear."
            : options.SnapshotPeers.Length == 0
                ? null
                : options.SnapshotPeerKeyFile.Length == 0
                    ? $"{nameof(options.SnapshotPeerKeyFile)} is missing: peers send snapshots only to a caller whose API key they know."
                    : null;

    private static bool IsAddress(string text) =>
        Uri.TryCreate(text, UriKind.Absolute, out Uri? uri)
            && (uri.Scheme == Uri.UriSchemeHttps || (uri.Scheme == Uri.UriSchemeHttp && uri.IsLoopback))
        && uri is { PathAndQuery: "/", Fragment: "", UserInfo: "" };
}
