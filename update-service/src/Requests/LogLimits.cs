using Microsoft.Extensions.Options;
using Optiks.Protocol;
using Optiks.UpdateService.Options;

namespace Optiks.UpdateService.Requests;

/// <summary>
/// LogLimits are the lengths that the log's configuration allows (docs/spec/records.md section 1). They come from the data folder's trust anchor as soon as the update-task
/// has made one, and from <see cref="LimitOptions"/> until then and where the folder is another machine's. Any thread.
/// </summary>
internal sealed class LogLimits
{
    private readonly string _trustAnchor;
    private readonly LimitOptions _options;
    private volatile Configuration? _configuration;

    public LogLimits(DataFolder folder, IOptions<LimitOptions> options)
    {
        _trustAnchor = folder.TrustAnchor;
        _options = options.Value;
    }

    /// <summary>Read gives the lengths that hold now. Throws what <see cref="TrustAnchor.Load"/> does.</summary>
    public Lengths Read() => Configuration() is { } configuration
        ? new Lengths(configuration.MaxKeyLength, configuration.MaxValueLength)
        : new Lengths(_options.MaxKeyLength, _options.MaxValueLength);

    // A configuration never changes: once read, it is not read again.
    private Configuration? Configuration()
    {
        if (_configuration is null && File.Exists(_trustAnchor))
        {
            _configuration = TrustAnchor.Load(_trustAnchor).Configuration;
        }
        return _configuration;
    }

    /// <summary>Lengths in octets.</summary>
    /// <param name="MaxKey">Of a key.</param>
    /// <param name="MaxValue">Of a value.</param>
    public readonly record struct Lengths(int MaxKey, long MaxValue);
}
