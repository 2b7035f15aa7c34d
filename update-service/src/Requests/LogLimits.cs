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

    /// <summary>MaxKeyLength in octets.</summary>
    public int MaxKeyLength => Configuration()?.MaxKeyLength ?? _options.MaxKeyLength;

    /// <summary>MaxValueLength in octets.</summary>
    public long MaxValueLength => Configuration()?.MaxValueLength ?? (uint)_options.MaxValueLength;

    // A configuration never changes: once read, it is not read again.
    private Configuration? Configuration()
    {
        if (_configuration is null && File.Exists(_trustAnchor))
        {
            _configuration = TrustAnchor.Load(_trustAnchor).Configuration;
        }
        return _configuration;
    }
}
