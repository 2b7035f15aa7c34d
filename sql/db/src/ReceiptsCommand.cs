using System.CommandLine;
using System.Globalization;
using Optiks.Commands;
using Optiks.Native;
using Optiks.Pkcs11;
using Optiks.Protocol;
using Optiks.Receipts;
using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.Db;

/// <summary>
/// Implements <c>optiks-db receipts</c>: manages the keys with which update-services sign receipts (docs/operations/receipts.md). Needs no
/// database, and services may run at the same time.
/// </summary>
internal static class ReceiptsCommand
{
    private const int DefaultDays = 90;
    private const int MaxDays = 3660;

    // The command authorizes receipt keys from a time that is this long before the current time, because the clocks of services may be
    // behind this machine's clock.
    private static readonly TimeSpan s_before = TimeSpan.FromMinutes(5);

    public static Command Create(Func<DataFolder> folder, string? logKey, string? kek, Option<string> trust, Option<bool> json) =>
        new("receipts", "Make keys for receipts of updates, and have the log's key vouch for them.")
    {
        CreateKey(json), CreateVouch(folder, logKey, kek, trust, json),
    };

    private static Command CreateKey(Option<bool> json)
    {
        var name =
            new Argument<string>("NAME") { Description = "name of the key, without spaces and '+', such as log.example.org/receipts/1" };
        var file = new Option<string>("--out")
        {
            Description = "new file of mode 0600 for the key, on the update-service's host",
            HelpName = "FILE",
            Required = true,
        };
        var command = new Command(
            "key", "Make an update-service's receipt key, and print its public key for 'vouch'.") { name, file, json };
        command.SetAction(async parse =>
        {
            NativeLibraryCheck.Ensure();
            string key = ReceiptKeyFile.Create(parse.GetValue(file)!, parse.GetValue(name)!).ToString();
            await parse.InvocationConfiguration.Output.WriteLineAsync(
                parse.GetValue(json) ? JsonLine.Write(writer => writer.WriteString("key", key)) : key);
            return ExitCodes.Success;
        });
        return command;
    }

    private static Command CreateVouch(Func<DataFolder> folder, string? logKey, string? kek, Option<string> trust, Option<bool> json)
    {
        var given =
            new Argument<string[]>("VKEY")
            {
                Description =
                "public key of a receipt key, as 'key' printed it; give the keys of all update-services",
                Arity = ArgumentArity.OneOrMore
            };
        var days = new Option<int>("--days")
        {
            Description =
                $"for how many days from now, 1 to {MaxDays}. Until then, receipts made with a stolen key are the log's promises too",
            HelpName = "DAYS",
            DefaultValueFactory = _ => DefaultDays,
        };
        days.Validators.Add(result =>
        {
            if (result.Tokens.Count == 1
                && int.TryParse(result.Tokens[0].Value, NumberStyles.None, CultureInfo.InvariantCulture, out int number)
                && number is < 1 or > MaxDays)
            {
                result.AddError($"--days must be a number from 1 to {MaxDays}.");
            }
        });
        var file =
            new Option<string>("--out")
            {
                Description = "file for the note, which may exist; copy it to the update-services afterwards",
                HelpName = "FILE",
                Required = true,
            };
        var command = new Command("vouch",
            "Sign a statement with the log's key that receipts by these keys are the log's promises.") { given, days, file, trust, json };
        command.SetAction(async (parse, cancel) =>
        {
            NativeLibraryCheck.Ensure();
            DateTimeOffset now = TimeProvider.System.GetUtcNow();
            ulong from = (ulong)(now - s_before).ToUnixTimeMilliseconds();
            ulong until = (ulong)now.AddDays(parse.GetValue(days)).ToUnixTimeMilliseconds();
            ReceiptKey[] keys = [.. parse.GetValue(given)!.Select(text => new ReceiptKey(ParseKey(text), from, until))];
            DataFolder data = folder();
            var anchor = TrustAnchor.Load(parse.GetValue(trust)!);
            using ISecretSource secrets = LogSecretSource.Create(data, KeyRings.Load(data, kek), LogSecretSource.FindUri(logKey));
            using INoteSigner signer = secrets.OpenLogSigner(anchor);
            try
            {
                ReceiptKeys note = await ReceiptKeys.SignAsync(anchor, keys, signer, cancel);
                OutputFile.Write(parse.GetValue(file)!, note.Note.Span, AtomicFile.PublicMode);
            }
            catch (ArgumentException e)
            {
                throw new ReceiptsRefusedException(ErrorText.Line(e.Message), e);
            }
            string end = DateTimeOffset.FromUnixTimeMilliseconds((long)until)
                .ToString("yyyy-MM-dd HH:mm:ss'Z'", CultureInfo.InvariantCulture);
            await parse.InvocationConfiguration.Output.WriteLineAsync(parse.GetValue(json)
                ? JsonLine.Write(writer =>
                {
                    writer.WriteNumber("keys", keys.Length);
                    writer.WriteNumber("until_ms", until);
                })
                : $"{anchor.Configuration.Origin} vouches for {keys.Length} receipt key{(keys.Length == 1 ? "" : "s")} until {end}, in {parse.GetValue(file)}");
            return ExitCodes.Success;
        });
        return command;
    }

    private static VerifierKey ParseKey(string text) => VerifierKey.TryParse(text, out VerifierKey? key, out TlogError error)
        ? key
        : throw new ReceiptsRefusedException($"{text} is not a public key as 'optiks-db receipts key' prints it ({error}).");
}
