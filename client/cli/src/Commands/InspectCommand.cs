using System.CommandLine;
using System.Text;
using System.Text.Json;
using Optiks.Cli.Inspecting;
using Optiks.Protocol;

namespace Optiks.Cli.Commands;

/// <summary>Prints a saved answer in readable form. It verifies nothing.</summary>
internal static class InspectCommand
{
    // The most octets of a file that the command reads. The limit is twice the longest answer that a client accepts from a server, because
    // an answer's JSON form is longer than its binary form.
    private const int MaxFileLength = 128 << 20;

    public static Command Create(GlobalOptions options, CommandHost host)
    {
        var file =
            new Argument<string>("FILE")
            {
                Description =
                "a binary or JSON answer, a record, an audit proof or a checkpoint; - for standard input"
            };
        var key =
            new Option<string?>("--key")
            {
                Description =
                "the key or the username that was asked for: shows labels, and the side on which each path goes",
                HelpName = "KEY"
            };
        var command = new Command(
            "inspect", "Print an answer readably: records, ladders, tree paths, sizes. Verifies nothing") { file, key };
        command.SetAction(parse => Run(host, options.Json(parse), parse.GetValue(file)!, parse.GetValue(key)));
        return command;
    }

    private static int Run(CommandHost host, bool json, string file, string? key)
    {
        byte[] octets = ReadFile(host, file);
        try
        {
            var saved = SavedAnswer.Read(octets);
            if (json)
            {
                // Print the answer in the JSON form that the services use, on one line. The verdict is null because nothing was verified.
                Report.Json(host, null, "not_verified", null, writer => WriteJson(writer, saved, octets));
            }
            else
            {
                new AnswerPrinter(host.Out, key is null ? null : Encoding.UTF8.GetBytes(key)).Print(saved, octets.Length);
            }
            return ExitCodes.Success;
        }
        catch (EncodingException e)
        {
            throw new UsageException($"{file}: {e.Message}", e);
        }
    }

    private static void WriteJson(Utf8JsonWriter writer, SavedAnswer saved, byte[] octets)
    {
        writer.WriteNumber("octets"u8, octets.Length);
        switch (saved)
        {
            case SavedAnswer.OfLookups when octets[0] != '{':
                writer.WritePropertyName("lookup_answer"u8);
                AnswerJson.WriteLookupAnswer(writer, octets);
                break;
            case SavedAnswer.OfVersions when octets[0] != '{':
                writer.WritePropertyName("versions_answer"u8);
                AnswerJson.WriteVersionsAnswer(writer, octets);
                break;
            case SavedAnswer.OfUsers when octets[0] != '{':
                writer.WritePropertyName("user_lookup_answer"u8);
                AnswerJson.WriteUserLookupAnswer(writer, octets);
                break;
            case SavedAnswer.OfOwnUser when octets[0] != '{':
                writer.WritePropertyName("user_monitor_answer"u8);
                AnswerJson.WriteUserMonitorAnswer(writer, octets);
                break;
            case SavedAnswer.OfPeriods when octets[0] != '{':
                writer.WritePropertyName("periods_answer"u8);
                AnswerJson.WritePeriodsAnswer(writer, octets);
                break;
            case SavedAnswer.OfAudit:
                writer.WritePropertyName("audit_proof"u8);
                AnswerJson.WriteAuditProof(writer, octets);
                break;
            case SavedAnswer.OfHead when octets[0] != '{':
                writer.WritePropertyName("head"u8);
                AnswerJson.WriteHead(writer, octets);
                break;
            case SavedAnswer.OfRecord(EpochRecord record):
                writer.WritePropertyName("record"u8);
                AnswerJson.WriteRecord(writer, record.Encode());
                break;
            case SavedAnswer.OfCheckpoint:
                writer.WriteString("checkpoint"u8, Encoding.UTF8.GetString(octets));
                break;
            default:
                writer.WritePropertyName("answer"u8);
                using (var document = JsonDocument.Parse(octets))
                {
                    document.RootElement.WriteTo(writer);
                }
                break;
        }
    }

    /// <summary>Reads a file, or standard input if the name is <c>-</c>, up to a limit.</summary>
    public static byte[] ReadFile(CommandHost host, string file)
    {
        if (file != "-")
        {
            return InputFile.Read(file, MaxFileLength);
        }
        using Stream input = host.OpenInput();
        return InputFile.ReadAll(input, "Standard input", MaxFileLength);
    }
}
