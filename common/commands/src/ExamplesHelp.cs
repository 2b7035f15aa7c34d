using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;

namespace Optiks.Commands;

/// <summary>Prints the help of System.CommandLine, and after it the examples of the command.</summary>
internal sealed class ExamplesHelp : SynchronousCommandLineAction
{
    private readonly HelpAction _usual;
    private readonly IReadOnlyDictionary<string, string[]> _examples;

    public ExamplesHelp(HelpAction usual, IReadOnlyDictionary<string, string[]> examples)
    {
        _usual = usual;
        _examples = examples;
    }

    public override bool ClearsParseErrors => true;

    public override int Invoke(ParseResult parseResult)
    {
        ArgumentNullException.ThrowIfNull(parseResult);
        int code = _usual.Invoke(parseResult);
        if (_examples.TryGetValue(CommandPath.Format(parseResult.CommandResult.Command), out string[]? examples))
        {
            TextWriter output = parseResult.InvocationConfiguration.Output;
            output.WriteLine("Examples:");
            foreach (string example in examples)
            {
                output.WriteLine("  " + example);
            }
            output.WriteLine();
        }
        return code;
    }
}
