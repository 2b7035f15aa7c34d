using System.Text.Json;

namespace Optiks.Cli.Tests;

/// <summary>One run of the command line in this process, with its output and its exit code.</summary>
internal sealed record CommandRun(int Code, string Out, string Error)
{
    /// <summary>The JSON objects that the command printed, one per line.</summary>
    public IReadOnlyList<JsonElement> Lines =>
        [.. Out.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => JsonDocument.Parse(line).RootElement)];

    public JsonElement Json => Assert.Single(Lines);

    public static Task<CommandRun> RunAsync(Fixture fixture, params string[] args) => RunAsync(fixture, null, [], args);

    public static Task<CommandRun> RunAsync(Fixture fixture, string? apiKey, byte[] input, params string[] args) =>
        RunAsync(fixture, apiKey, input, TestContext.Current.CancellationToken, args);

    public static Task<CommandRun> RunAsync(
        Fixture fixture, string? apiKey, byte[] input, CancellationToken cancellationToken, params string[] args)
    {
        fixture.Clock.UtcNow = fixture.Log.Now;
        return RunAsync(fixture, fixture.Clock, apiKey, input, args, cancellationToken);
    }

    /// <summary>Runs the command line with a clock that may differ from the log's clock.</summary>
    public static Task<CommandRun> RunAsync(Fixture fixture, TimeProvider clock, params string[] args) =>
        RunAsync(fixture, clock, null, [], args, TestContext.Current.CancellationToken);

    private static async Task<CommandRun> RunAsync(
        Fixture fixture, TimeProvider clock, string? apiKey, byte[] input, string[] args, CancellationToken cancellationToken)
    {
        var environment = new Dictionary<string, string?>(StringComparer.Ordinal)
        {
            ["OPTIKS_DATA"] = fixture.Folder.In("data"),
            ["OPTIKS_QUERY_URL"] = fixture.Server.Url.ToString(),
            ["OPTIKS_UPDATE_URL"] = fixture.Server.Url.ToString(),
            ["OPTIKS_API_KEY"] = apiKey ?? FixtureServer.ApiKey,
        };
        using var output = new StringWriter();
        using var error = new StringWriter();
        using var host = new CommandHost
        {
            Out = output,
            Error = error,
            Environment = name => environment.GetValueOrDefault(name),
            Time = clock,
            Http = new HttpClient { Timeout = TimeSpan.FromSeconds(20) },
            OpenInput = () => new MemoryStream(input),
        };
        int code = await OptiksCommand.RunAsync(args, host, cancellationToken);
        return new CommandRun(code, output.ToString(), error.ToString());
    }
}
