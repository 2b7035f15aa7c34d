using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;
using System.Globalization;
using Optiks.Protocol;

namespace Optiks.Commands;

/// <summary>
/// Runs a command line with the features of all programs: <c>--help</c> with examples, <c>--version</c>, <c>completion</c>, and suggestions
/// for misspelt words. Response files are not supported. After a failure, prints one sentence to standard error and returns one of the
/// <see cref="ExitCodes"/>.
/// </summary>
public sealed class CommandProgram
{
    private readonly string _name;
    private readonly RootCommand _root;
    private readonly Option<bool>? _json;

    /// <summary>Creates a program from its commands, and adds the commands and options that all programs have.</summary>
    /// <param name="name">The program's name, as users type it.</param>
    /// <param name="root">The program's commands.</param>
    /// <param name="examples">The example command lines that the help of each command shows. The dictionary's keys are the words of
    /// commands, such as <c>key generate</c>; the empty text is the program itself.</param>
    /// <param name="json">The option <c>--json</c> of all commands, with which the program also prints failures as a JSON object to
    /// standard output; null if the program has no such option.</param>
    public CommandProgram(string name, RootCommand root, IReadOnlyDictionary<string, string[]> examples, Option<bool>? json = null)
    {
        ArgumentNullException.ThrowIfNull(root);
        ArgumentNullException.ThrowIfNull(examples);
        _name = name;
        _root = root;
        _json = json;
        root.Subcommands.Add(CompletionCommand.Create(name));
        HelpOption help = root.Options.OfType<HelpOption>().Single();
        help.Action = new ExamplesHelp((HelpAction)help.Action!, examples);
        root.Options.OfType<VersionOption>().Single().Action = new VersionAction(name);
    }

    /// <summary>
    /// Runs the command line and returns the exit code. The function <paramref name="classify"/> turns the exceptions of failures that a
    /// user or operator can repair into such failures. If it returns null, the exception is a bug, and the method rethrows it.
    /// </summary>
    public async Task<int> RunAsync(
        IReadOnlyList<string> args, TextWriter output, TextWriter error, Func<Exception, CommandFailure?> classify,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(args);
        ArgumentNullException.ThrowIfNull(output);
        ArgumentNullException.ThrowIfNull(error);
        ArgumentNullException.ThrowIfNull(classify);
        // The output must not depend on the machine's language, because programs read it too.
        CultureInfo.CurrentCulture = CultureInfo.DefaultThreadCurrentCulture = CultureInfo.InvariantCulture;
        // Response files are off, because an argument that begins with @ may be a key.
        ParseResult parse = _root.Parse(args, new ParserConfiguration { ResponseFileTokenReplacer = null });
        if (parse.Action is ParseErrorAction misused)
        {
            await WriteUsageAsync(parse, misused, error).ConfigureAwait(false);
            return ExitCodes.Usage;
        }
        try
        {
            var configuration = new InvocationConfiguration { Output = output, Error = error, EnableDefaultExceptionHandler = false };
            if (parse.CommandResult.Command is ServiceCommand)
            {
                configuration.ProcessTerminationTimeout = null;
            }
            return await parse.InvokeAsync(configuration, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (classify(e) is { } failure)
        {
            return failure.Print(_json is not null && parse.GetValue(_json), output, error);
        }
    }

    // Writes errors about usage to standard error, because standard output is only for results.
    private async Task WriteUsageAsync(ParseResult parse, ParseErrorAction action, TextWriter error)
    {
        foreach (string message in UsageText.Format(parse))
        {
            await error.WriteLineAsync($"error: {DisplayText.Escape(message)}").ConfigureAwait(false);
        }
        action.ShowHelp = false;
        action.ShowTypoCorrections = true;
        // The action writes its errors, which have already been printed, to the error writer, and only the suggestions to the output.
        using var suggestions = new StringWriter();
        parse.Invoke(new InvocationConfiguration { Output = suggestions, Error = TextWriter.Null });
        // The suggestions repeat the word that was typed. The word is escaped, because a terminal must not act on control characters in the
        // word.
        foreach (string line in suggestions.ToString().TrimEnd().Split(Environment.NewLine))
        {
            await error.WriteLineAsync(DisplayText.Escape(line)).ConfigureAwait(false);
        }
        await error.WriteLineAsync($"Try: {CommandPath.Full(_name, parse.CommandResult.Command)} --help").ConfigureAwait(false);
    }

    private sealed class VersionAction(string name) : SynchronousCommandLineAction
    {
        public override bool ClearsParseErrors => true;

        public override int Invoke(ParseResult parseResult)
        {
            parseResult.InvocationConfiguration.Output.WriteLine($"{name} {ProductVersion.Text}");
            return ExitCodes.Success;
        }
    }
}
