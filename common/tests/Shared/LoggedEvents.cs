using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Optiks.Tests.Shared;

/// <summary>Collects the names of the events that a service logs.</summary>
internal sealed class LoggedEvents : ILoggerProvider, ILogger
{
    private readonly ConcurrentQueue<string> _names = new();

    public bool Has(string name) => _names.Contains(name);

    public int Count(string name) => _names.Count(logged => logged == name);

    public ILogger CreateLogger(string categoryName) => this;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        if (eventId.Name is { } name)
        {
            _names.Enqueue(name);
        }
    }

    public void Dispose()
    {
    }
}
