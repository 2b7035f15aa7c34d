using System.CommandLine;
using Optiks.Client;
using Optiks.Commands;
using Optiks.Protocol;

namespace Optiks.Cli.Commands;

/// <summary>Sets a key's value. With <c>--wait</c> it also proves that the log shows this value.</summary>
internal static class UpdateCommand
{
    public static Command Create(GlobalOptions options, CommandHost host)
    {
        var key = new Argument<string>("KEY") { Description = "key to set" };
        var value = new ValueArgument();
        var wait = new Option<bool>("--wait",
            "-w")
        {
            Description =
                "wait until it is published, then verify that the log has it: exit code 0 only then, 3 when the time is up or it could not be verified"
        };
        var timeout = new Option<int>("--timeout")
        {
            Description = "seconds to wait at most",
            HelpName = "SECONDS",
            DefaultValueFactory = _ => 120,
        };
        var expect =
            new Option<ulong?>("--expect")
            {
                Description = "apply only if this is the key's latest version then (0: it has none yet)",
                HelpName = "N",
            };
        var requestId =
            new Option<Guid?>("--request-id")
            {
                Description =
                "go on with an earlier update, or repeat one whose answer was lost: the same command with the id that was printed; it applies once",
                HelpName = "UUID"
            };
        var receipt =
            new Option<string?>("--receipt")
            {
                Description =
                "ask for the log's signed promise to publish it, verify it and write it to a new file, for 'optiks receipt check'; not with --expect",
                HelpName = "FILE"
            };
        var note = new NoteArgument();
        var base64 = new Option<bool>("--b64") { Description = "KEY and VALUE are base64url of their octets" };
        var command = new Command("update", "Set a key's value (API key or token with scope update)") { key };
        value.AddTo(command);
        foreach (Option option in (Option[])[wait, timeout, expect, requestId, receipt, base64])
        {
            command.Options.Add(option);
        }
        note.AddTo(command);
        command.SetAction(async (parse, cancellationToken) =>
        {
            ReadOnlyMemory<byte> name = ValueArgument.Octets(KeyArguments.NotAnOption(parse, parse.GetValue(key)!), parse.GetValue(base64));
            if (name.Length is < 1 or > ProtocolLimits.MaxKeyLength)
            {
                throw new UsageException($"A key has 1 to {ProtocolLimits.MaxKeyLength} octets, not {name.Length}.");
            }
            string? file = parse.GetValue(receipt);
            if (file is not null)
            {
                if (parse.GetValue(expect) is not null)
                {
                    throw new UsageException(
                        "An update with --expect may be refused, so no log promises to publish it: leave out --receipt or --expect.");
                }
                ReceiptCommand.RequireFree(file);
            }
            byte[] octets = await value.ReadAsync(parse, parse.GetValue(base64), host, cancellationToken).ConfigureAwait(false);
            using Session session =
                await Session.OpenAsync(options, parse, host, needsCredential: true, cancellationToken).ConfigureAwait(false);
            session.RequireValue(note.Length(parse, octets.Length));
            session.RequireKeys([name]);
            Guid id = parse.GetValue(requestId) ?? session.Client.NewRequestId();
            if (id.Version != 7)
            {
                throw new UsageException("--request-id is a UUIDv7, as an earlier update printed it.");
            }
            KeyVersionNumber? expected = parse.GetValue(expect) is { } version ? new KeyVersionNumber(session.Period, version) : null;
            ReadOnlyMemory<byte> sent = note.Value(parse, session.Client, name, octets, id);
            UpdateResult? result = null;
            int receiptCode = ExitCodes.Success;
            try
            {
                result = file is null
                    ? await session.Client.UpdateAsync(name, sent, expected, id, cancellationToken).ConfigureAwait(false)
                    : await session.Client.UpdateWithReceiptAsync(name, sent, id, cancellationToken).ConfigureAwait(false);
                if (file is not null && result.Status == UpdateStatus.Pending)
                {
                    // Save the receipt before the wait, so that a user who interrupts the wait has the receipt.
                    receiptCode = ReceiptCommand.Keep(host, result, file, session.Anchor);
                }
                if (parse.GetValue(wait) && result.Status == UpdateStatus.Pending)
                {
                    result = await session.Client.WaitAsync(result, TimeSpan.FromSeconds(parse.GetValue(timeout)), cancellationToken)
                        .ConfigureAwait(false);
                }
            }
            catch (OptiksServerException e) when (e.Failure != ServerFailure.Insecure && (result is not null || e.IsTransient))
            {
                // The server may have accepted the update. So print advice with the request id, because a second try under another id could
                // apply the update twice.
                string hint =
                    $"The update may have been accepted. {RepeatHint(id)}{(OptiksCommand.Hint(e) is { } usual ? $"\n  {usual}" : "")}";
                return new CommandFailure(
                    ExitCodes.Unreachable, Report.Name(e), e.Message, hint, writer => writer.WriteString("request_id"u8, id))
                    .Print(options.Json(parse), host.Out, host.Error);
            }
            int code = Print(host, options.Json(parse), parse.GetValue(wait), result);
            return code == ExitCodes.Success ? receiptCode : code;
        });
        return command;
    }

    /// <summary>Returns the advice on how to continue a request whose outcome is not known.</summary>
    public static string RepeatHint(Guid id) => $"Go on with the same command and --wait --request-id {id}: the update applies once.";

    private static int Print(CommandHost host, bool json, bool waited, UpdateResult result)
    {
        string key = DisplayText.Show(result.Key.Span);
        return result switch
        {
            { Lookup: { IsValid: false } lookup } => Report.Refused(host, json, key, lookup, writer => Report.Key(writer, result.Key)),
            { Status: UpdateStatus.Refused } => Refused(host, json, key, result),
            { History: { IsValid: false } history } => Report.Refused(host, json, key, history, writer => Report.Key(writer, result.Key)),
            { Confirmation: UpdateConfirmation.Contradicted } => NotShown(host, json, key, result),
            { Confirmation: UpdateConfirmation.Unproven } => NotConfirmed(host, json, key, result),
            { Status: UpdateStatus.Pending } => Pending(host, json, waited, key, result),
            _ => Published(host, json, key, result),
        };
    }

    private static int Pending(CommandHost host, bool json, bool waited, string key, UpdateResult result)
    {
        if (json)
        {
            Accepted(host, "pending", result);
        }
        else
        {
            host.Out.WriteLine($"{key}: accepted, durable at the server, not published yet (request {result.RequestId})");
            host.Out.WriteLine($"  next     {RepeatHint(result.RequestId)}");
        }
        return waited ? ExitCodes.Unreachable : ExitCodes.Success;
    }

    private static int Published(CommandHost host, bool json, string key, UpdateResult result)
    {
        HeadInfo head = result.Lookup!.Head!;
        if (json)
        {
            Accepted(host, Reason.Valid.Name(), result);
        }
        else
        {
            host.Out.WriteLine(
                $"{key}: accepted, version {result.Version!.Value.Version}, published in epoch {result.Epoch}, verified at epoch {head.Epoch}, {Report.Standing(head)}");
            if (result.Lookup.Version > result.Version.Value.Version)
            {
                host.Out.WriteLine($"  latest   version {result.Lookup.Version} by now: see optiks history");
            }
            host.Out.WriteLine($"  checked  {LookupCommand.Statement(head)}");
        }
        return ExitCodes.Success;
    }

    // Prints that the server reports the update as published, but that a lookup shows only a later version.
    private static int NotConfirmed(CommandHost host, bool json, string key, UpdateResult result)
    {
        if (json)
        {
            Accepted(host, "not_confirmed", result);
        }
        else
        {
            host.Out.WriteLine(
                $"{key}: accepted, not confirmed: the server says that it was version {result.Version!.Value.Version}, the latest is version {result.Lookup!.Version}");
            host.Error.WriteLine(
                $"{key}: {result.Detail}. `optiks history` with an API key or token of scope history shows every version.");
        }
        return ExitCodes.Unreachable;
    }

    private static void Accepted(CommandHost host, string reason, UpdateResult result) =>
        Report.Json(host, "accepted", reason, result.Epoch, writer =>
    {
        Report.Key(writer, result.Key);
        writer.WriteString("request_id"u8, result.RequestId);
        writer.WriteBoolean("published"u8, result.Status == UpdateStatus.Published);
        writer.WriteBoolean("confirmed"u8, result.Confirmed);
        if (result.Receipt is not null || result.ReceiptRefused is not null)
        {
            writer.WriteString("receipt"u8, (result.ReceiptRefused ?? Reason.Valid).Name());
        }
        if (result.Version is { } version)
        {
            writer.WriteNumber("version"u8, version.Version);
            writer.WriteNumber("period"u8, version.Period);
            writer.WriteNumber("latest_version"u8, result.Lookup!.Version);
            writer.WriteNumber("verified_epoch"u8, result.Lookup.Head!.Epoch);
        }
        if (result.Detail is not null)
        {
            writer.WriteString("detail"u8, result.Detail);
        }
    });

    private static int Refused(CommandHost host, bool json, string key, UpdateResult result)
    {
        string current = result.Current is { } number ? $"; the latest version is {number.Version}" : "";
        if (json)
        {
            Report.Json(host, null, ServerWords.Refusal(result.RefusedBecause), null, writer =>
            {
                Report.Key(writer, result.Key);
                writer.WriteString("request_id"u8, result.RequestId);
                Report.Number(writer, "current_version", result.Current?.Version);
            });
        }
        host.Error.WriteLine($"{key}: refused, {result.RefusedBecause}{current}. Nothing changed.");
        return ExitCodes.Unreachable;
    }

    private static int NotShown(CommandHost host, bool json, string key, UpdateResult result)
    {
        if (json)
        {
            Report.Json(host, "invalid", "other_value", result.Lookup!.Head!.Epoch, writer =>
            {
                Report.Key(writer, result.Key);
                writer.WriteString("request_id"u8, result.RequestId);
                writer.WriteString("detail"u8, result.Detail);
            });
        }
        else
        {
            host.Out.WriteLine(
                $"{key}: invalid, the server says that it published the update as version {result.Version!.Value.Version} in epoch {result.Epoch}, but {result.Detail}");
            host.Error.WriteLine($"Run `optiks history {key}` and report it to the operator and the auditors.");
        }
        return ExitCodes.Invalid;
    }
}
