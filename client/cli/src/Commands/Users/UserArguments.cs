using System.CommandLine;
using Optiks.Client;
using Optiks.Commands;
using Optiks.Protocol;

namespace Optiks.Cli.Commands.Users;

/// <summary>
/// The arguments of all commands that change a user: the argument NAME, how long to wait, and the id of an earlier request.
/// </summary>
internal sealed class UserArguments
{
    private readonly Argument<string> _name = new("NAME") { Description = "a username of the user" };
    private readonly Option<bool> _wait;
    private readonly Option<int> _timeout =
        new("--timeout") { Description = "seconds to wait at most", HelpName = "SECONDS", DefaultValueFactory = _ => 120 };
    private readonly Option<Guid?> _requestId =
        new("--request-id")
        {
            Description =
            "go on with an earlier request, or repeat one whose answer was lost: the same command with the id that was printed; it applies once",
            HelpName = "UUID"
        };
    private readonly Option<bool> _base64 = new("--b64") { Description = "names, device ids and values are base64url of their octets" };
    private readonly bool _alwaysWaits;

    public UserArguments(bool alwaysWaits = false)
    {
        _alwaysWaits = alwaysWaits;
        _wait = new Option<bool>("--wait", "-w")
        {
            Description = alwaysWaits
                ? "as without it: this command always waits until it is proven"
                : "wait until it is published, then verify that the log has it: exit code 0 only then, 3 when the time is up or it could not be verified",
        };
    }

    /// <summary>Adds the argument NAME before a command's own arguments.</summary>
    public void AddTo(Command command)
    {
        command.Arguments.Insert(0, _name);
        foreach (Option option in (Option[])[_wait, _timeout, _requestId, _base64])
        {
            command.Options.Add(option);
        }
    }

    public ReadOnlyMemory<byte> Name(ParseResult parse) => Octets(parse, parse.GetValue(_name)!);

    public bool IsBase64(ParseResult parse) => parse.GetValue(_base64);

    /// <summary>Returns the octets of a name or device id. The argument is text, or base64url if the user gave <c>--b64</c>.</summary>
    public ReadOnlyMemory<byte> Octets(ParseResult parse, string text)
    {
        byte[] octets = ValueArgument.Octets(KeyArguments.NotAnOption(parse, text), IsBase64(parse));
        return octets.Length is >= 1 and <= ProtocolLimits.MaxKeyLength
            ? octets
            : throw new UsageException($"A name or device id has 1 to {ProtocolLimits.MaxKeyLength} octets, not {octets.Length}.");
    }

    /// <summary>
    /// Sends a request under its request id, waits if the user gave <c>--wait</c> or the command always waits, and prints the outcome.
    /// </summary>
    public async Task<int> RunAsync(
        GlobalOptions options, ParseResult parse, CommandHost host, Session session, Func<OptiksClient, Guid, Task<UserUpdateResult>> send,
        CancellationToken cancellationToken)
    {
        Guid id = parse.GetValue(_requestId) ?? session.Client.NewRequestId();
        if (id.Version != 7)
        {
            throw new UsageException("--request-id is a UUIDv7, as an earlier command printed it.");
        }
        bool waits = _alwaysWaits || parse.GetValue(_wait);
        bool sent = false;
        UserUpdateResult result;
        try
        {
            result = await send(session.Client, id).ConfigureAwait(false);
            sent = result.Status == UpdateStatus.Pending;
            if (waits && sent)
            {
                result = await session.Client.WaitAsync(result, TimeSpan.FromSeconds(parse.GetValue(_timeout)), cancellationToken)
                    .ConfigureAwait(false);
            }
        }
        catch (OptiksServerException e) when (e.Failure != ServerFailure.Insecure && (sent || e.IsTransient))
        {
            // The server may have accepted the request. So print advice with the request id, because a second try under another id could
            // apply the request twice.
            string hint =
                $"The request may have been accepted. {UpdateCommand.RepeatHint(id)}{(OptiksCommand.Hint(e) is { } usual ? $"\n  {usual}" : "")}";
            return new CommandFailure(
                ExitCodes.Unreachable, Report.Name(e), e.Message, hint, writer => writer.WriteString("request_id"u8, id))
                .Print(options.Json(parse), host.Out, host.Error);
        }
        return new UserChangeReport(host, options.Json(parse), waits, session.Client.NoteOf).Print(result);
    }
}
