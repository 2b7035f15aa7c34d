using Microsoft.Extensions.Options;
using Optiks.Protocol;
using Optiks.UpdateService.Options;

namespace Optiks.UpdateService.Requests;

/// <summary>
/// Holds the log's limits for keys, values and usernames (docs/spec/records.md section 1). They come from the trust anchor in the data
/// folder, once the update-task has made it. Until then, or if that folder is on another machine, they come from
/// <see cref="LimitOptions"/>. Thread-safe.
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

    /// <summary>
    /// Returns the limits that are in force now. Members of the returned configuration that <see cref="LimitOptions"/> lacks are undefined.
    /// Throws the exceptions of <see cref="TrustAnchor.Load"/>.
    /// </summary>
    public Configuration Read()
    {
        // The configuration never changes, so it is read only once.
        if (_configuration is null && File.Exists(_trustAnchor))
        {
            _configuration = TrustAnchor.Load(_trustAnchor).Configuration;
        }
        return _configuration ?? _options;
    }
}
