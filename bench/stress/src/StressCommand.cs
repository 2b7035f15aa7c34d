using System.CommandLine;
using Optiks.Client;
using Optiks.Commands;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Stress.Output;
using Optiks.Stress.Traffic;
using Spectre.Console;

namespace Optiks.Stress;

/// <summary>Defines the command line and turns failures into exit codes.</summary>
internal static class StressCommand
{
    private const string Description =
        """
        Offers a load to Optiks services at a set rate, verifies the answers, and follows every accepted update to its publication.

        Keys come from a key space of its own: `optiks-stress prepare 10000` fills it, `optiks-stress run --key-count 10000` uses it. Nothing else may write these keys during a run.

        Ctrl-C or SIGTERM ends the load. What was accepted until then is followed, and reported.

        Exit codes: 0 done, 1 an answer does not verify or an accepted update was lost or doubled, 2 usage, 3 a service cannot be reached or refuses.
        """;

    private static readonly Dictionary<string, string[]> s_examples = new(StringComparer.Ordinal)
    {
        [""] = ["optiks-stress prepare 10000", "optiks-stress run --key-count 10000 --rate 500"],
        ["prepare"] = ["optiks-stress prepare 10000"],
        ["run"] = ["optiks-stress run --key-count 10000 --rate 500",
            "optiks-stress run --key-count 10000 --mix hit=9,update=1 --rate 200 --report report.html"],
    };

    public static Task<int> RunAsync(string[] args, CancellationToken cancellationToken) =>
        new CommandProgram("optiks-stress", Create(), s_examples).RunAsync(
            args, Console.Out, Console.Error, failure => Classify(failure, cancellationToken), cancellationToken);

    private static CommandFailure? Classify(Exception failure, CancellationToken cancellationToken) => failure switch
    {
        StressException known => new CommandFailure(known.ExitCode, known.ExitCode == ExitCodes.Usage ? "usage" : "failed", known.Message),
        OptiksServerException => new CommandFailure(ExitCodes.Unreachable, "unreachable", failure.Message),
        FormatException or TrustAnchorException or SecretsException or NativeLibraryException or IOException
            or UnauthorizedAccessException =>
            new CommandFailure(ExitCodes.Usage, "usage", failure.Message),
        OperationCanceledException when cancellationToken.IsCancellationRequested =>
            new CommandFailure(ExitCodes.Unreachable, "interrupted", "Interrupted before there was a result."),
        _ => null,
    };

    /// <summary>Creates the root command with all its subcommands.</summary>
    internal static RootCommand Create()
    {
        var target = new TargetArguments();
        var root = new RootCommand(Description) { CreateRun(target), CreatePrepare(target) };
        target.AddTo(root);
        return root;
    }

    private static ServiceCommand CreateRun(TargetArguments target)
    {
        var arguments = new RunArguments();
        // This is a `ServiceCommand`, because the command needs time after a signal: the signal ends the load, and the command then still
        // follows the accepted updates.
        var command = new ServiceCommand("run", "offer a load and report");
        arguments.AddTo(command);
        command.SetAction(async (parse, cancellationToken) =>
        {
            NativeLibraryCheck.Ensure();
            RunOptions options = arguments.Read(parse);
            TargetOptions to = await target.ReadAsync(parse, options.Mix.NeedsApiKey, cancellationToken);
            if (options.Mix.Parts.Any(part => part.Size > to.Keys.Count)
                || (to.Keys.ManyCount == 0 && options.Mix.Parts.Any(part => part.Kind == Load.OperationKind.Versions)))
            {
                throw new StressException("The mix needs more keys than --key-count and --many-count name.", ExitCodes.Usage);
            }
            bool terminal = !Console.IsOutputRedirected;
            ILiveView view = terminal
                ? new TerminalView(AnsiConsole.Console, TimeProvider.System)
                : new PlainView(Console.Out, TimeProvider.System);
            RunResult result = await StressRun.RunAsync(to, options, view, TimeProvider.System, cancellationToken);
            SummaryTable.Write(result, Console.Out);
            if (arguments.JsonPath(parse) is { } json)
            {
                await File.WriteAllBytesAsync(json, JsonReport.Write(result), CancellationToken.None);
            }
            if (arguments.ReportPath(parse) is { } report)
            {
                await File.WriteAllTextAsync(report, HtmlReport.Write(result), CancellationToken.None);
            }
            return result.Good ? ExitCodes.Success : ExitCodes.Invalid;
        });
        return command;
    }

    private static Command CreatePrepare(TargetArguments target)
    {
        var count = new Argument<int>("N") { Description = "keys with one version" };
        count.Validators.Add(result =>
        {
            if (result.Tokens is [var token] && int.TryParse(token.Value, out int keys) && keys < 1)
            {
                result.AddError("N is 1 or more.");
            }
        });
        var versions = new Option<int>("--versions") { Description = "versions of the keys with many", DefaultValueFactory = _ => 10 };
        var command = new Command(
            "prepare", "write the key space, as far as it is missing, and wait until it is published") { count, versions };
        command.SetAction(async (parse, cancellationToken) =>
        {
            NativeLibraryCheck.Ensure();
            TargetOptions to = await target.ReadAsync(parse, needsApiKey: true, cancellationToken);
            to = to with { Keys = to.Keys with { Count = parse.GetValue(count) } };
            using var connection = new Target(to, TimeProvider.System);
            var views = new Views(to.Anchor, to.QueryUrls.Count, TimeProvider.System);
            int written = await new Preparer(to, connection, views, TimeProvider.System, Console.Out.WriteLine).PrepareAsync(
                parse.GetValue(versions), cancellationToken);
            Console.Out.WriteLine(
                $"prepared: {to.Keys.Count} keys, {to.Keys.ManyCount} with {parse.GetValue(versions)} versions; {written} updates were needed");
            return ExitCodes.Success;
        });
        return command;
    }
}
