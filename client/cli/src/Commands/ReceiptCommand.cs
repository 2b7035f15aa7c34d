using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Optiks.Client;
using Optiks.Protocol;
using Optiks.Receipts;

namespace Optiks.Cli.Commands;

/// <summary>Finds out whether the log kept its promise to publish an update.</summary>
internal static class ReceiptCommand
{
    private const int MaxFileLength = 1 << 22;

    public static Command Create(GlobalOptions options, CommandHost host)
    {
        var file = new Argument<string>("FILE") { Description = "the receipt, as update --receipt wrote it" };
        var check = new Command(
            "check",
            "Verify that the log kept the promise of a receipt, by the key's history (API key or token with scope history). Exit code 0 kept, 1 broken (evidence was written) or no promise of this log, 3 not due yet, or it cannot be told") { file };
        check.SetAction((parse, cancellationToken) => RunAsync(options, host, parse, parse.GetValue(file)!, cancellationToken));
        return new Command("receipt", "Check the log's signed promises to publish updates") { check };
    }

    /// <summary>
    /// Throws if the command will be unable to save a receipt under this path. So the command fails before it sends the update, and not
    /// afterwards.
    /// </summary>
    public static void RequireFree(string path)
    {
        if (OutputFile.IsTaken(path))
        {
            throw new UsageException($"{path} exists: a receipt is written to a new file.");
        }
        if (Path.GetDirectoryName(Path.GetFullPath(path)) is { } folder && !Directory.Exists(folder))
        {
            throw new UsageException($"The folder {folder} does not exist.");
        }
    }

    /// <summary>
    /// Writes the receipt of an accepted update, or says that there is no receipt. Returns the exit code of this step, which the caller
    /// combines with the exit code of the update.
    /// </summary>
    public static int Keep(CommandHost host, UpdateResult result, string path, TrustAnchor anchor)
    {
        string key = DisplayText.Show(result.Key.Span);
        if (result.Receipt is not { } receipt)
        {
            string why = result.ReceiptRefused is { } reason
                ? $"what it gave is no receipt ({reason.Name()})"
                : "the server has none to give now; the same command with the same --request-id may bring one";
            host.Error.WriteLine($"{key}: accepted, and the log promised nothing: {why}.");
            return result.ReceiptRefused is null ? ExitCodes.Unreachable : ExitCodes.Invalid;
        }
        if (!OutputFile.TryCreate(path, receipt.ToJson(), AtomicFile.PrivateMode))
        {
            throw new IOException(
                $"{path} exists by now: the receipt was not written. The same command with another file and --request-id {result.RequestId} brings it again.");
        }
        _ = receipt.Verify(anchor, out Receipt? promise);
        host.Error.WriteLine(
            string.Create(CultureInfo.InvariantCulture,
                $"{key}: the log promises to publish it by epoch {promise!.By}; `optiks receipt check {path}` after that"));
        return ExitCodes.Success;
    }

    private static async Task<int> RunAsync(
        GlobalOptions options, CommandHost host, ParseResult parse, string path, CancellationToken cancellationToken)
    {
        UpdateReceipt receipt = Read(path);
        using Session session =
            await Session.OpenAsync(options, parse, host, needsCredential: true, cancellationToken).ConfigureAwait(false);
        session.RequireKeys([receipt.Key]);
        return Print(host, options.Json(parse), receipt,
            await session.Client.CheckReceiptAsync(receipt, cancellationToken).ConfigureAwait(false));
    }

    private static UpdateReceipt Read(string path)
    {
        try
        {
            byte[] octets = RegularFile.Find(path, MaxFileLength) ?? throw new FileNotFoundException($"{path} does not exist.");
            return UpdateReceipt.TryParse(octets, out UpdateReceipt? receipt)
                ? receipt
                : throw new InvalidDataException("it has another form");
        }
        catch (InvalidDataException e)
        {
            throw new UsageException($"{path} is no receipt as 'optiks update --receipt' writes it: {e.Message}", e);
        }
    }

    private static int Print(CommandHost host, bool json, UpdateReceipt receipt, ReceiptResult result)
    {
        string key = DisplayText.Show(receipt.Key.Span);
        if (result.History is { } history)
        {
            return Report.Refused(host, json, key, history, writer => Report.Key(writer, receipt.Key));
        }
        (string? verdict, string reason, int code) = result.Status switch
        {
            ReceiptStatus.Kept => ("valid", result.Reason.Name(), ExitCodes.Success),
            ReceiptStatus.NotDue => ("accepted", "promise_not_due", ExitCodes.Unreachable),
            ReceiptStatus.Unproven => (null, result.Reason.Name(), ExitCodes.Unreachable),
            _ => ("invalid", result.Reason.Name(), ExitCodes.Invalid),
        };
        if (json)
        {
            Report.Json(host, verdict, reason, result.Head?.Epoch, writer => Write(writer, receipt, result));
            return code;
        }
        host.Out.WriteLine($"{key}: {Statement(result)}");
        if (result.EvidencePath is { } evidence)
        {
            host.Error.WriteLine(
                $"The log's own signature shows it, to anyone. The evidence is in {evidence}: publish it and ask the operator and the auditors.");
        }
        return code;
    }

    private static string Statement(ReceiptResult result) => FormattableString.Invariant(result switch
    {
        { Status: ReceiptStatus.Kept, Version: { } version } =>
            $"kept, published as version {version.Version} in epoch {version.Epoch}, promised by epoch {result.Receipt!.By}",
        { Status: ReceiptStatus.Kept } => $"kept, published by epoch {result.Receipt!.By}",
        { Status: ReceiptStatus.NotDue } =>
            $"not due, promised by epoch {result.Receipt!.By}, the log is at epoch {result.Head!.Epoch} and does not show it yet",
        { Status: ReceiptStatus.Broken } =>
            $"BROKEN, {result.Reason.Name()}: the log promised to publish it in an epoch from {result.Receipt!.After + 1} to {result.Receipt.By}, and did not",
        { Status: ReceiptStatus.Refused } => $"invalid, {result.Reason.Name()}: this is no promise of the log",
        _ =>
            (FormattableString)$"it cannot be told, {result.Reason.Name()}: the servers' answers say neither that the promise was kept nor that it was broken",
    });

    private static void Write(Utf8JsonWriter writer, UpdateReceipt receipt, ReceiptResult result)
    {
        Report.Key(writer, receipt.Key);
        writer.WriteString("request_id"u8, receipt.RequestId);
        Report.Number(writer, "after", result.Receipt?.After);
        Report.Number(writer, "by", result.Receipt?.By);
        Report.Number(writer, "published_epoch", result.Version?.Epoch);
        if (result.EvidencePath is { } evidence)
        {
            writer.WriteString("evidence"u8, evidence);
        }
    }
}
