using System.CommandLine;
using Optiks.Client;

namespace Optiks.Cli.Commands.Users;

/// <summary>Creates a user with a username and first devices.</summary>
internal static class UserCreateCommand
{
    public static Command Create(GlobalOptions options, CommandHost host)
    {
        var arguments = new UserArguments();
        var devices = new Option<string[]>("--device")
        {
            Description = "a first device with its value, or with the file that has it; several times for several",
            HelpName = "ID=VALUE|ID=@FILE",
        };
        var command = new Command("create", "Create a user with a username and devices (API key with scope update)") { devices };
        var note = new NoteArgument();
        note.AddTo(command);
        arguments.AddTo(command);
        command.SetAction(async (parse, cancellationToken) =>
        {
            ReadOnlyMemory<byte> name = arguments.Name(parse);
            var values = new List<UserDeviceValue>();
            foreach (string text in parse.GetValue(devices) ?? [])
            {
                values.Add(await DeviceAsync(text, arguments, parse, host, cancellationToken).ConfigureAwait(false));
            }
            using Session session =
                await Session.OpenAsync(options, parse, host, needsCredential: true, cancellationToken).ConfigureAwait(false);
            session.RequireUsernames([name]);
            session.RequireKeys(values.Select(device => device.Device));
            foreach (UserDeviceValue device in values)
            {
                session.RequireValue(note.Length(parse, device.Value.Length));
            }
            return await arguments.RunAsync(options, parse, host, session, (client, id) => client.CreateUserAsync(
                [name], [.. values.Select(device => device with { Value = note.Value(parse, client, device.Device, device.Value, id) })],
                id, cancellationToken), cancellationToken).ConfigureAwait(false);
        });
        return command;
    }

    private static async Task<UserDeviceValue> DeviceAsync(
        string text, UserArguments arguments, ParseResult parse, CommandHost host, CancellationToken cancellationToken)
    {
        int equals = text.IndexOf('=', StringComparison.Ordinal);
        if (equals < 1)
        {
            throw new UsageException($"--device {text}: give ID=VALUE or ID=@FILE.");
        }
        ReadOnlyMemory<byte> device = arguments.Octets(parse, text[..equals]);
        string value = text[(equals + 1)..];
        return new UserDeviceValue(device, value.StartsWith('@')
            ? await ValueArgument.ReadFileAsync(value[1..], host, cancellationToken).ConfigureAwait(false)
            : ValueArgument.Octets(value, arguments.IsBase64(parse)));
    }
}
