using Microsoft.Extensions.Options;
using Optiks.Protocol;
using Optiks.UpdateService.Options;

namespace Optiks.UpdateService.Requests;

/// <summary>
/// Holds the log's limits for keys, values and usernames (docs/spec/records.md section 1). They come from the trust anchor in the data
/// folder as soon as the update-task has made one. Until then, and if the folder is on another machine, they come from
/// <see cref="LimitOptions"/>. Any thread.
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
    /// Returns the limits now in force. The returned configuration's members that <see cref="LimitOptions"/> does not have are undefined.
    /// Throws the exceptions of <see cref="TrustAnchor.Load"/>.
    /// </summary>
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
