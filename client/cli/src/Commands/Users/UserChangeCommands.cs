using System.CommandLine;
using Optiks.Client;

namespace Optiks.Cli.Commands.Users;

/// <summary>The commands that change an existing user.</summary>
internal static class UserChangeCommands
{
    private const string Needs = "(API key, or the user's token, with scope update)";

    public static Command AddUsername(GlobalOptions options, CommandHost host)
    {
        var arguments = new UserArguments();
        var added = new Argument<string>("NEW") { Description = "the username that is to lead to the user as well" };
        var command = new Command("add-username", "Make another username lead to a user (API key with scope update)") { added };
        arguments.AddTo(command);
        command.SetAction((parse, cancellationToken) =>
        {
            ReadOnlyMemory<byte> username = arguments.Octets(parse, parse.GetValue(added)!);
            return RunAsync(options, arguments, parse, host, UserChange.AddUsername(username),
                session => session.RequireUsernames([username]), cancellationToken);
        });
        return command;
    }

    public static Command AddDevice(GlobalOptions options, CommandHost host) =>
        WithValue("add-device", $"Add a device to a user {Needs}; the token has to name the device",
            "id of the device, which was never used before", options, host, canExpect: false);

    public static Command SetDevice(GlobalOptions options, CommandHost host) =>
        WithValue("set-device", $"Give a device of a user a new value {Needs}", "id of the device", options, host, canExpect: true);

    public static Command RemoveDevice(GlobalOptions options, CommandHost host)
    {
        var arguments = new UserArguments();
        var device = new Argument<string>("ID") { Description = "id of the device; it is not used again" };
        var command = new Command("remove-device", $"Remove a device from a user {Needs}") { device };
        arguments.AddTo(command);
        command.SetAction((parse, cancellationToken) =>
        {
            ReadOnlyMemory<byte> id = arguments.Octets(parse, parse.GetValue(device)!);
            return RunAsync(options, arguments, parse, host, UserChange.RemoveDevice(id), session => session.RequireKeys([id]),
                cancellationToken);
        });
        return command;
    }

    public static Command Decommission(GlobalOptions options, CommandHost host)
    {
        var arguments = new UserArguments(alwaysWaits: true);
        var unseen =
            new Option<bool>("--unseen")
            {
                Description =
                "leave without looking first, or in spite of alarms: what was published of the user since the last look is then shown to nobody"
            };
        var command = new Command(
            "decommission",
            "Let a user leave for good, and prove that the log shows it; looks first, as user monitor does (API key, or the user's token, with scopes update and history)") { unseen };
        arguments.AddTo(command);
        command.SetAction((parse, cancellationToken) =>
            RunAsync(options, arguments, parse, host, UserChange.Decommission(parse.GetValue(unseen)), _ => { }, cancellationToken));
        return command;
    }

    private static Command WithValue(string name, string description, string what, GlobalOptions options, CommandHost host, bool canExpect)
    {
        var arguments = new UserArguments();
        var device = new Argument<string>("ID") { Description = what };
        var value = new ValueArgument();
        var note = new NoteArgument();
        var expect = new Option<ulong?>("--expect")
        {
            Description = "apply only if this is the latest version of the device's value then",
            HelpName = "N",
        };
        var command = new Command(name, description) { device };
        value.AddTo(command);
        note.AddTo(command);
        arguments.AddTo(command);
        if (canExpect)
        {
            command.Options.Add(expect);
        }
        command.SetAction(async (parse, cancellationToken) =>
        {
            ReadOnlyMemory<byte> id = arguments.Octets(parse, parse.GetValue(device)!);
            byte[] octets = await value.ReadAsync(parse, arguments.IsBase64(parse), host, cancellationToken).ConfigureAwait(false);
            UserChange Change(Session session, Guid requestId)
            {
                session.RequireKeys([id]);
                session.RequireValue(note.Length(parse, octets.Length));
                ReadOnlyMemory<byte> sent = note.Value(parse, session.Client, id, octets, requestId);
                return !canExpect ? UserChange.AddDevice(id, sent)
                    : UserChange.SetDevice(id, sent,
                        parse.GetValue(expect) is { } version ? new KeyVersionNumber(session.Period, version) : null);
            }
            return await RunAsync(options, arguments, parse, host, Change, cancellationToken).ConfigureAwait(false);
        });
        return command;
    }

    private static Task<int> RunAsync(
        GlobalOptions options, UserArguments arguments, ParseResult parse, CommandHost host, UserChange change, Action<Session> require,
        CancellationToken cancellationToken)
    {
        UserChange Change(Session session, Guid _)
        {
            require(session);
            return change;
        }
        return RunAsync(options, arguments, parse, host, Change, cancellationToken);
    }

    private static async Task<int> RunAsync(
        GlobalOptions options, UserArguments arguments, ParseResult parse, CommandHost host, Func<Session, Guid, UserChange> make,
        CancellationToken cancellationToken)
    {
        ReadOnlyMemory<byte> name = arguments.Name(parse);
        using Session session =
            await Session.OpenAsync(options, parse, host, needsCredential: true, cancellationToken).ConfigureAwait(false);
        session.RequireUsernames([name]);
        return await arguments.RunAsync(
            options, parse, host, session, (client, id) => client.ChangeUserAsync(name, [make(session, id)], id, cancellationToken),
            cancellationToken).ConfigureAwait(false);
    }
}
