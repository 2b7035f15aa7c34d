using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Optiks.Storage.Hosting;

/// <summary>Warns of what the operator should know about the chosen engine: at start in this build (<see cref="IStorageProvider.Notice"/>), and while the service runs.</summary>
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

    /// <summary>Gives what an engine may tell while the service runs.</summary>
    public static Action<string> Warn(ILogger<StorageNotice> logger) => notice => LogNotice(logger, notice);

    [LoggerMessage(EventId = 9030, EventName = "StorageNotice", Level = LogLevel.Warning, Message = "{Notice}")]
    private static partial void LogNotice(ILogger logger, string notice);
}
