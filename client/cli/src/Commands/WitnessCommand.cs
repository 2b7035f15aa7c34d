using System.CommandLine;
using Optiks.Commands;
using Optiks.Native;
using Optiks.Pkcs11;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Tlog;
using Optiks.Witness;

namespace Optiks.Cli.Commands;

/// <summary>
/// Runs a witness for other operators' logs: it cosigns their checkpoints, and stores the checkpoints that it has cosigned.
/// </summary>
internal static class WitnessCommand
{
    public static Command Create(GlobalOptions options, CommandHost host) =>
        new("witness", "Run a witness, which cosigns the checkpoints of logs as long as each extends the one before") { CreateInit(options,
            host), CreateRun(options, host) };

    private static Command CreateInit(GlobalOptions options, CommandHost host)
    {
        var name = new Argument<string>("name")
        {
            Description = "name of the witness in signatures: a domain that you hold, and a path",
            HelpName = "NAME",
        };
        Option<string?> folder = Folder();
        var token =
            new Option<string>("--pkcs11")
            {
                Description =
                "keep the private key in a token: its URI (RFC 7512) with module-path and pin-source; the file 'key' then says where it is",
                HelpName = "URI"
            };
        var command = new Command(
            "init", "Make the witness's key, and print its public side for the policies of logs and clients") { name, folder, token };
        command.SetAction(parse =>
        {
            NativeLibraryCheck.Ensure();
            WitnessFolder place = GetFolder(parse.GetValue(folder), options.Data(parse, host));
            DataFolder.CreateFolder(place.Root);
            VerifierKey key;
            try
            {
                key = parse.GetValue(token) is { } uri
                    ? CosignerKey.Create(place.Key, parse.GetValue(name)!, uri)
                    : CosignerKeyFile.Create(place.Key, parse.GetValue(name)!);
            }
            catch (SecretsException e)
            {
                throw new UsageException(e.Message, e);
            }
            bool isNew = AtomicFile.TryCreate(
                place.Logs, "# The logs that this witness cosigns, a line 'log VKEY' for each.\nquorum none\n"u8, AtomicFile.PublicMode);
            if (options.Json(parse))
            {
                Report.Json(host, "valid", Reason.Valid.Name(), null, writer =>
                {
                    writer.WriteString("vkey"u8, key.ToString());
                    writer.WriteString("key_file"u8, place.Key);
                    writer.WriteString("logs_file"u8, place.Logs);
                });
                return ExitCodes.Success;
            }
            host.Out.WriteLine($"vkey  {key}");
            host.Out.WriteLine($"key   {place.Key} (mode 0600, keep it, and never in two places)");
            host.Out.WriteLine($"logs  {place.Logs}{(isNew ? ": add a line 'log VKEY' for each" : "")}");
            return ExitCodes.Success;
        });
        return command;
    }

    private static ServiceCommand CreateRun(GlobalOptions options, CommandHost host)
    {
        Option<string?> folder = Folder();
        var urls = new Option<string>("--urls")
        {
            Description = "where to listen, several separated by semicolons",
            HelpName = "URL",
            DefaultValueFactory = _ => WitnessHost.DefaultUrl,
        };
        var command = new ServiceCommand("run", "Cosign the logs of the file 'logs' until SIGTERM or Ctrl-C") { folder, urls };
        command.SetAction((parse, cancellationToken) =>
            WitnessHost.RunAsync(GetFolder(parse.GetValue(folder), options.Data(parse, host)), parse.GetValue(urls)!, cancellationToken));
        return command;
    }

    private static Option<string?> Folder() =>
        new("--folder") { Description = "folder with key, logs and state (default: witness in the data folder)", HelpName = "DIR" };

    private static WitnessFolder GetFolder(string? folder, DataFolder data) => new(folder ?? Path.Combine(data.Root, "witness"));
}
