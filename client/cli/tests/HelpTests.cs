using System.CommandLine;

namespace Optiks.Cli.Tests;

public sealed class HelpTests
{
    private static readonly string[] s_globalOptions = ["--query-url", "--update-url", "--api-key", "--token-file", "--authorize-lookups",
        "--trust", "--data", "--json"];

    [Theory]
    [InlineData("update", "--file", "--note", "--wait", "--expect", "--request-id", "--timeout", "--receipt", "--b64")]
    [InlineData("lookup", "--b64")]
    [InlineData("history", "--period", "--b64")]
    [InlineData("monitor", "--follow", "--interval", "--accept")]
    [InlineData("user")]
    [InlineData("user create", "--device", "--note", "--wait", "--timeout", "--request-id", "--b64")]
    [InlineData("user lookup", "--device", "--b64")]
    [InlineData("user add-username", "--wait", "--timeout", "--request-id", "--b64")]
    [InlineData("user add-device", "--file", "--note", "--wait", "--timeout", "--request-id", "--b64")]
    [InlineData("user set-device", "--file", "--expect", "--note", "--wait", "--timeout", "--request-id", "--b64")]
    [InlineData("user remove-device", "--wait", "--timeout", "--request-id", "--b64")]
    [InlineData("user monitor", "--follow", "--interval", "--accept", "--b64")]
    [InlineData("user history", "--period", "--b64")]
    [InlineData("erase", "--from", "--to", "--wait", "--timeout", "--request-id", "--b64")]
    [InlineData("user erase", "--from", "--to", "--wait", "--timeout", "--request-id", "--b64")]
    [InlineData("user decommission", "--unseen", "--wait", "--timeout", "--request-id", "--b64")]
    [InlineData("overdue", "--accept")]
    [InlineData("audit", "--from", "--follow", "--range", "--interval")]
    [InlineData("auditor", "--config", "--key-file", "--from", "--mark", "--urls", "--interval", "--webhook", "--once")]
    [InlineData("auditor init", "--name", "--key-file")]
    [InlineData("auditor resume", "--config", "--key-file", "--from", "--mark")]
    [InlineData("receipt")]
    [InlineData("receipt check")]
    [InlineData("status", "--wait", "--timeout")]
    [InlineData("board")]
    [InlineData("board checkpoint", "--out", "--board")]
    [InlineData("board verify", "--board")]
    [InlineData("board consistency", "--board")]
    [InlineData("evidence verify")]
    [InlineData("inspect", "--key")]
    [InlineData("verify", "--from-record", "--period-record", "--ended-record", "--user-b64", "--device", "--fresh", "--b64")]
    [InlineData("key generate", "--out")]
    [InlineData("token create", "--key-file", "--audience", "--scope", "--subject", "--user-b64", "--lifetime", "--kid", "--out", "--b64")]
    [InlineData("token jwks", "--key-file")]
    [InlineData("token")]
    [InlineData("witness init", "--folder")]
    [InlineData("witness run", "--folder", "--urls")]
    [InlineData("witness")]
    [InlineData("")]
    public async Task Help_names_every_option_and_gives_examples(string command, params string[] options)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        CommandRun run = await CommandRun.RunAsync(fixture, [.. command.Split(' ', StringSplitOptions.RemoveEmptyEntries), "--help"]);
        Assert.Equal(0, run.Code);
        Assert.All(options.Concat(s_globalOptions), option => Assert.Contains(option, run.Out, StringComparison.Ordinal));
        Assert.Contains("Examples:\n  ", run.Out, StringComparison.Ordinal);
        Assert.Empty(fixture.Server.Requests);
    }

    [Fact]
    public async Task Every_option_and_argument_is_described()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using var output = new StringWriter();
        using var host = new CommandHost
        {
            Out = output,
            Error = output,
            Environment = _ => null,
            Time = fixture.Clock,
            Http = new HttpClient(),
            OpenInput = () => Stream.Null,
        };
        var missing = new List<string>();
        Collect(OptiksCommand.Create(new GlobalOptions(), host), missing);
        Assert.Empty(missing);
    }

    private static void Collect(Command command, List<string> missing)
    {
        IEnumerable<Symbol> symbols = [command, .. command.Options, .. command.Arguments];
        missing.AddRange(
            symbols.Where(symbol => string.IsNullOrWhiteSpace(symbol.Description)).Select(symbol => $"{command.Name} {symbol.Name}"));
        foreach (Command inner in command.Subcommands)
        {
            Collect(inner, missing);
        }
    }
}
