using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Optiks.ServiceDefaults;

namespace Optiks.Common.Tests;

/// <summary>Tests that a client's disconnection does not count as an error of the service, whichever exception the server throws for
/// it.</summary>
public sealed class ExceptionAnswerTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_connection_that_its_client_resets_is_not_logged()
    {
        Assert.Equal((499, 0), await AnswerAsync(new ConnectionResetException("reset by peer"), isAborted: false));
        // The server throws this exception if the client has reset a stream of HTTP/2.
        Assert.Equal((499, 0), await AnswerAsync(new IOException("The client reset the request stream."), isAborted: true));
        Assert.Equal((499, 0), await AnswerAsync(new OperationCanceledException(), isAborted: true));
    }

    [Fact]
    public async Task What_is_the_service_s_own_is_logged()
    {
        Assert.Equal((500, 1), await AnswerAsync(new IOException("disk"), isAborted: false));
        Assert.Equal((500, 1), await AnswerAsync(new InvalidOperationException("bug"), isAborted: true));
        Assert.Equal((500, 1), await AnswerAsync(new OperationCanceledException(), isAborted: false));
    }

    private static async Task<(int Status, int Logged)> AnswerAsync(Exception exception, bool isAborted)
    {
        using var log = new CountingProvider();
        await using ServiceProvider services = new ServiceCollection().AddLogging(logging => logging.AddProvider(log))
            .BuildServiceProvider();
        var context = new DefaultHttpContext { RequestServices = services, RequestAborted = new CancellationToken(isAborted) };
        var answers = new ExceptionAnswers(services.GetRequiredService<ILogger<ExceptionAnswers>>());
        Assert.True(await answers.TryHandleAsync(context, exception, Cancel));
        return (context.Response.StatusCode, log.Errors);
    }

    private sealed class CountingProvider : ILoggerProvider, ILogger
    {
        public int Errors { get; private set; }

        public ILogger CreateLogger(string categoryName) => this;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
            Func<TState, Exception?, string> formatter) =>
            Errors += logLevel >= LogLevel.Error ? 1 : 0;

        public void Dispose()
        {
        }
    }
}
