using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Optiks.Storage.Hosting;

/// <summary>
/// Logs the chosen engine's notices for the operator as warnings. At the start it logs the notice about this build
/// (<see cref="IStorageProvider.Notice"/>), and later the notices that the engine gives while the service runs.
/// </summary>
internal sealed partial class StorageNotice : IHostedService
{
    private readonly StorageSource _source;
    private readonly ILogger<StorageNotice> _logger;

    public StorageNotice(StorageSource source, ILogger<StorageNotice> logger)
    {
        _source = source;
        _logger = logger;
    }

    /// <inheritdoc/>
    public Task StartAsync(CancellationToken cancellationToken)
    {
        if (_source.Notice is { } notice)
        {
            LogNotice(_logger, notice);
        }
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Returns an action that an engine calls to log a notice while the service runs.</summary>
    public static Action<string> Warn(ILogger<StorageNotice> logger) => notice => LogNotice(logger, notice);

    [LoggerMessage(EventId = 9030, EventName = "StorageNotice", Level = LogLevel.Warning, Message = "{Notice}")]
    private static partial void LogNotice(ILogger logger, string notice);
}
