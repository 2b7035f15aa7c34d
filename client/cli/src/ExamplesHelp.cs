using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;

namespace Optiks.Cli;

/// <summary>ExamplesHelp prints the usual help, then examples.</summary>
internal sealed class ExamplesHelp : SynchronousCommandLineAction
{
    private static readonly Dictionary<string, string[]> Examples = new(StringComparer.Ordinal)
    {
        ["optiks"] =
        [
            "optiks update alice \"alice's public key\" --wait",
            "optiks lookup alice",
            "optiks lookup bob                                # a proven absence is a verified answer too",
            "optiks history alice",
            "optiks audit",
        ],
        ["update"] =
        [
            "optiks update alice \"alice's public key\" --wait",
            "optiks update alice --file alice.value --expect 1   # only if version 1 is still the latest",
        ],
        ["lookup"] = ["optiks lookup alice bob", "optiks lookup alice --json | jq -r .value", "optiks lookup --b64 AAEC"],
        ["history"] = ["optiks history alice"],
        ["monitor"] = ["optiks monitor alice", "optiks monitor alice --accept", "optiks monitor --follow"],
        ["audit"] = ["optiks audit", "optiks audit --follow", "optiks audit --from 1000 --data ~/auditor"],
        ["inspect"] =
        [
            "curl -s http://127.0.0.1:8301/log/checkpoint | optiks inspect -",
            "optiks inspect answer.bin --key alice",
        ],
        ["key"] = ["optiks key generate --out alice", "optiks update alice --file alice.value --wait"],
        ["generate"] = ["optiks key generate --out alice", "optiks update alice --file alice.value --wait"],
    };

    private readonly HelpAction _usual;

    public ExamplesHelp(HelpAction usual)
    {
        _usual = usual;
    }

    public override int Invoke(ParseResult parseResult)
    {
        ArgumentNullException.ThrowIfNull(parseResult);
        int code = _usual.Invoke(parseResult);
        Command command = parseResult.CommandResult.Command;
        if (Examples.TryGetValue(command is RootCommand ? "optiks" : command.Name, out string[]? examples))
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
