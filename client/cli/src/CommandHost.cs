using Optiks.Client;
using Spectre.Console;

namespace Optiks.Cli;

/// <summary>
/// The environment of one run of the command line: terminal, environment variables, clock and network. Tests supply their own environment.
/// </summary>
internal sealed class CommandHost : IDisposable
{
    private static readonly TimeSpan RequestTimeout = TimeSpan.FromSeconds(100);

    public required TextWriter Out { get; init; }

    public required TextWriter Error { get; init; }

    public required Func<string, string?> Environment { get; init; }

    public required TimeProvider Time { get; init; }

    public required HttpClient Http { get; init; }

    /// <summary>Opens standard input. Commands call this only when they read it.</summary>
    public required Func<Stream> OpenInput { get; init; }

    /// <summary>The terminal on which commands draw progress; null if there is no terminal.</summary>
    public IAnsiConsole? ProgressConsole { get; init; }

    /// <summary>
    /// The overdue answers that the command found. The client believed these answers, and auditors should have covered them by now.
    /// </summary>
    public IReadOnlyList<Belief> Overdue { get; set; } = [];

    public static CommandHost System()
    {
        var handler = new SocketsHttpHandler { ConnectTimeout = TimeSpan.FromSeconds(5), AllowAutoRedirect = false, UseCookies = false };
        IAnsiConsole progress = AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(global::System.Console.Error) });
        return new CommandHost
        {
            Out = global::System.Console.Out,
            Error = global::System.Console.Error,
            Environment = global::System.Environment.GetEnvironmentVariable,
            Time = TimeProvider.System,
            Http = new HttpClient(handler) { Timeout = RequestTimeout },
            OpenInput = global::System.Console.OpenStandardInput,
            ProgressConsole = global::System.Console.IsErrorRedirected ? null : progress,
        };
    }

    public void Dispose() => Http.Dispose();
}
