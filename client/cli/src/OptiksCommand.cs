using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;
using Optiks.Cli.Commands;
using Optiks.Client;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Cli;

/// <summary>OptiksCommand is the command line: the commands, and the one place where failures become exit codes.</summary>
internal static class OptiksCommand
{
    private const string Description =
        """
        Looks up, updates, monitors and audits keys of an Optiks transparency log, and verifies every answer.

        Exit codes: 0 verified (a proven absence too), 1 a proof is invalid or a key changed unexpectedly, 2 usage, 3 the server cannot be reached or refused, or a change is not published and proven yet, 5 the log forked (evidence was written).

        Keys and values are printed as text. One that is empty, begins with b64: or a quotation mark, begins or ends with a space, or has characters that cannot be seen or turn the direction of writing, is printed as a JSON string in quotation marks. What is not text is printed as b64: and its octets in base64url. Long values are cut; --json prints all.
        """;

    public static async Task<int> RunAsync(string[] args, CommandHost host, CancellationToken cancellationToken = default)
    {
        var options = new GlobalOptions();
        RootCommand root = Create(options, host);
        // No response files: a key may start with @.
        ParseResult parse = root.Parse(args, new ParserConfiguration { ResponseFileTokenReplacer = null });
        if (parse.Errors.Count > 0 && parse.Action is ParseErrorAction)
        {
            foreach (System.CommandLine.Parsing.ParseError error in parse.Errors)
            {
                host.Error.WriteLine(error.Message);
            }
            host.Error.WriteLine($"Try: optiks {Path(parse)}--help");
            return ExitCodes.Usage;
        }
        bool json = options.Json(parse);
        try
        {
            var configuration = new InvocationConfiguration { Output = host.Out, Error = host.Error, EnableDefaultExceptionHandler = false };
            return await parse.InvokeAsync(configuration, cancellationToken).ConfigureAwait(false);
        }
        catch (OptiksServerException e) when (e.Failure == ServerFailure.Insecure)
        {
            return Report.Failure(host, json, "insecure-url", e.Message, null, ExitCodes.Usage);
        }
        catch (OptiksServerException e)
        {
            return Report.Failure(host, json, Report.Name(e), e.Message, Hint(e), ExitCodes.Unreachable);
        }
        catch (Exception e) when (e is UsageException or FirstEpochException or TrustAnchorException or ClientStateException or NativeLibraryException)
        {
            return Report.Failure(host, json, "usage", e.Message, null, ExitCodes.Usage);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return Report.Failure(host, json, "file", e.Message, null, ExitCodes.Usage);
        }
        catch (OperationCanceledException)
        {
            return Report.Failure(host, json, "interrupted", "Interrupted before there was a result.", null, ExitCodes.Unreachable);
        }
    }

    /// <summary>The whole tree of commands.</summary>
    public static RootCommand Create(GlobalOptions options, CommandHost host)
    {
        var root = new RootCommand(Description)
        {
            UpdateCommand.Create(options, host),
            LookupCommand.Create(options, host),
            HistoryCommand.Create(options, host),
            MonitorCommand.Create(options, host),
            AuditCommand.Create(options, host),
            InspectCommand.Create(options, host),
            KeyCommand.Create(options, host),
        };
        options.AddTo(root);
        HelpOption help = root.Options.OfType<HelpOption>().Single();
        help.Action = new ExamplesHelp((HelpAction)help.Action!);
        return root;
    }

    private static string Path(ParseResult parse) => parse.CommandResult.Command is RootCommand ? "" : parse.CommandResult.Command.Name + " ";

    /// <summary>What to do when a server gave no answer.</summary>
    public static string? Hint(OptiksServerException e) => e switch
    {
        { Failure: ServerFailure.Unreachable } => "Is the service running? `make up` starts it; --query-url and --update-url (or OPTIKS_QUERY_URL, OPTIKS_UPDATE_URL) name another.",
        { Problem: "unauthorized" } => "Set OPTIKS_API_KEY or give --api-key @FILE; a development key is in the file api-key of the server's data folder. Lookups carry it with --authorize-lookups only.",
        { Problem: "forbidden" } => "The API key lacks the scope for this: ask the operator.",
        { Problem: "not-caught-up" or "unavailable" or "overloaded" } => "Try again in a moment, or ask another replica with --query-url.",
        _ => null,
    };
}
