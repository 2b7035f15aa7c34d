using Microsoft.Extensions.Options;
using Optiks.Protocol;
using Optiks.UpdateService.Options;

namespace Optiks.UpdateService.Requests;

/// <summary>
/// LogLimits are what the log's configuration allows in keys, values and usernames (docs/spec/records.md section 1). They come from the data folder's trust anchor as soon as the
/// update-task has made one, and from <see cref="LimitOptions"/> until then and where the folder is another machine's. Any thread.
/// </summary>
internal sealed class LogLimits
{
    private readonly string _trustAnchor;
    private readonly Configuration _options;
    private volatile Configuration? _configuration;

    public LogLimits(DataFolder folder, IOptions<LimitOptions> options)
    {
        _trustAnchor = folder.TrustAnchor;
        _options = options.Value.ToConfiguration();
    }

    /// <summary>Read gives what holds now; of members that are not of <see cref="LimitOptions"/> nothing is told. Throws what <see cref="TrustAnchor.Load"/> does.</summary>
    public Configuration Read()
    {
        // A configuration never changes: once read, it is not read again.
        if (_configuration is null && File.Exists(_trustAnchor))
        {
            _configuration = TrustAnchor.Load(_trustAnchor).Configuration;
        }
        return _configuration ?? _options;
    }
}
