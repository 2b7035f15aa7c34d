using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Optiks.Storage.Hosting;

/// <summary>StorageNotice warns at start of what the operator should know about the chosen engine in this build (<see cref="IStorageProvider.Notice"/>).</summary>
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
            LogNotice(notice);
        }
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    [LoggerMessage(EventId = 9030, EventName = "StorageNotice", Level = LogLevel.Warning, Message = "{Notice}")]
    private partial void LogNotice(string notice);
}
