using System.CommandLine;
using Optiks.Client;
using Optiks.Commands;
using Optiks.Protocol;

namespace Optiks.Cli.Commands;

/// <summary>
/// The arguments that the commands for erasing a key's and a user's values share: the key or user, the versions to erase, how long to wait,
/// and the id of an earlier request.
/// </summary>
internal sealed class ErasureArguments
{
    private readonly Argument<string> _name;
    private readonly Option<bool> _base64;
    private readonly Option<ulong?> _from = new("--from") { Description = "first version that is erased", HelpName = "N" };
    private readonly Option<ulong?> _to =
        new("--to")
        {
            Description = $"last version that is erased, below the latest; {ProtocolLimits.MaxErasures} versions at most",
            HelpName = "N",
        };
    private readonly Option<bool> _wait =
        new("--wait", "-w") { Description = "wait until it is done, and print what is gone: exit code 0 only then, 3 when the time is up" };
    private readonly Option<int> _timeout =
        new("--timeout") { Description = "seconds to wait at most", HelpName = "SECONDS", DefaultValueFactory = _ => 120 };
    private readonly Option<Guid?> _requestId =
        new("--request-id")
        {
            Description = "go on with an earlier request: the same command with the id that was printed",
            HelpName = "UUID",
        };

    /// <param name="name">The name of the argument in the help text: KEY or NAME.</param>
    /// <param name="description">Description of the argument, for the help text.</param>
    public ErasureArguments(string name, string description)
    {
        _name = new Argument<string>(name) { Description = description };
        _base64 = new Option<bool>("--b64") { Description = $"{name} is base64url of its octets" };
    }

    public void AddTo(Command command)
    {
        command.Arguments.Add(_name);
        foreach (Option option in (Option[])[_from, _to, _wait, _timeout, _requestId, _base64])
        {
            command.Options.Add(option);
        }
    }

    public ReadOnlyMemory<byte> Name(ParseResult parse) =>
        KeyArguments.Decode(KeyArguments.NotAnOption(parse, parse.GetValue(_name)!), parse.GetValue(_base64));

    /// <summary>Returns the versions to erase; null if the command line names no versions.</summary>
    public (ulong From, ulong To)? Versions(ParseResult parse) => (parse.GetValue(_from), parse.GetValue(_to)) switch
    {
        (null, null) => default((ulong, ulong)?),
        ({ } from and >= 1, { } to) when from <= to && to - from < ProtocolLimits.MaxErasures => (from, to),
        _ =>
            throw new UsageException(
                $"--from and --to are given together, versions from 1 on, {ProtocolLimits.MaxErasures} of them at most."),
    };

    /// <summary>Sends a request under its request id, waits if the user gave <c>--wait</c>, and prints the outcome.</summary>
    public async Task<int> RunAsync(
        GlobalOptions options, ParseResult parse, CommandHost host, Session session, Func<OptiksClient, Guid, Task<ErasureResult>> send,
        CancellationToken cancellationToken)
    {
        Guid id = parse.GetValue(_requestId) ?? session.Client.NewRequestId();
        if (id.Version != 7)
        {
            throw new UsageException("--request-id is a UUIDv7, as an earlier command printed it.");
        }
        bool waits = parse.GetValue(_wait);
        bool sent = false;
        ErasureResult result;
        try
        {
            result = await send(session.Client, id).ConfigureAwait(false);
            sent = result.Status == ErasureStatus.Pending;
            if (waits && sent)
            {
                result = await session.Client.WaitAsync(result, TimeSpan.FromSeconds(parse.GetValue(_timeout)), cancellationToken)
                    .ConfigureAwait(false);
            }
        }
        catch (OptiksServerException e) when (e.Failure != ServerFailure.Insecure && (sent || e.IsTransient))
        {
            string hint =
                $"The request may have been accepted. {ErasureReport.RepeatHint(id)}{(OptiksCommand.Hint(e) is { } usual ? $"\n  {usual}" : "")}";
            return new CommandFailure(ExitCodes.Unreachable, Report.Name(e), e.Message, hint,
                writer => writer.WriteString("request_id"u8, id)).Print(options.Json(parse), host.Out, host.Error);
        }
        return new ErasureReport(host, options.Json(parse), waits).Print(result);
    }
}
