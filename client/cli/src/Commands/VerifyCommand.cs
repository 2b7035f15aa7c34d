using System.CommandLine;
using System.Text.Json;
using Optiks.Cli.Commands.Users;
using Optiks.Cli.Inspecting;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Cli.Commands;

/// <summary>Judges a saved answer against the trust anchor, without a server and without this client's state.</summary>
internal static class VerifyCommand
{
    public static Command Create(GlobalOptions options, CommandHost host)
    {
        var file =
            new Argument<string>("FILE")
            {
                Description =
                "a binary answer of lookup, history or monitor, about keys or users, an answer about periods, a head, a record, an audit proof or a checkpoint; - for standard input"
            };
        var keys = new KeyArguments(ArgumentArity.ZeroOrMore, "the keys or usernames that were asked for, in that order");
        var earlier = new Option<string?>("--from-record")
        {
            Description =
                "a record that you trust: of the epoch at which an audit proof begins (needed), or another one that a record or an answer about periods must agree with",
            HelpName = "FILE",
        };
        var period =
            new Option<string?>("--period-record")
            {
                Description =
                "for an audit proof, the record of the first epoch of that record's period, which you trust too",
                HelpName = "FILE"
            };
        var ended =
            new Option<string?>("--ended-record")
            {
                Description =
                "for an answer of history or monitor about a period that ended, the record of its last epoch, which you trust",
                HelpName = "FILE"
            };
        var user = new Option<string?>("--user-b64")
        {
            Description = "for the answer of a user's monitoring, the id of the user, base64url",
            HelpName = "ID",
        };
        var device = new Option<string?>("--device")
        {
            Description = "for the answer of a user lookup, the one device that was asked for",
            HelpName = "ID",
        };
        var fresh = new Option<bool>("--fresh") { Description = "also require that it is recent, by this machine's clock" };
        var command = new Command(
            "verify",
            "Judge a stored answer offline against the trust anchor: signatures and proofs, not whether the log has newer") { file, earlier,
                period, ended, user, device, fresh };
        keys.AddTo(command);
        command.SetAction(parse =>
        {
            NativeLibraryCheck.Ensure();
            string name = parse.GetValue(file)!;
            byte[] octets = InspectCommand.ReadFile(host, name);
            if (octets.AsSpan().TrimStart(" \r\n\t"u8).StartsWith("{"u8))
            {
                throw new UsageException(
                    $"{name} is JSON, which is for people: store the binary form (Accept: application/vnd.optiks.lookup and so on) to verify it.");
            }
            ulong? now = parse.GetValue(fresh) ? (ulong)host.Time.GetUtcNow().ToUnixTimeMilliseconds() : null;
            var judge = new SavedAnswerJudge(TrustArgument.Required(options, parse, host), now, Record(parse.GetValue(earlier)),
                Record(parse.GetValue(period)), Record(parse.GetValue(ended)), UserId(parse.GetValue(user)),
                parse.GetValue(device) is { } id ? keys.Decode(parse, id) : default);
            Judgement judgement;
            try
            {
                judgement = judge.Judge(SavedAnswer.Read(octets), octets, keys.Read(parse));
            }
            catch (EncodingException e)
            {
                host.Error.WriteLine($"{name}: {e.Message}");
                judgement = new Judgement { Kind = "unknown", Reason = e.Reason, IsFreshChecked = now is not null };
            }
            return Print(host, options.Json(parse), judgement);
        });
        return command;
    }

    private static ReadOnlyMemory<byte> UserId(string? text) => text is null ? default
        : Base64UrlText.TryDecode(text, out byte[]? id) && id.Length is >= 1 and <= ProtocolLimits.MaxKeyLength ? id
        : throw new UsageException($"--user-b64 is base64url of 1 to {ProtocolLimits.MaxKeyLength} octets.");

    // The greatest length of a record's file that the command reads. It is much greater than a record's length, so that the command can
    // report the length of a file that is not a record.
    private const int MaxRecordFile = 1 << 20;

    private static byte[]? Record(string? path)
    {
        byte[]? record = path is null ? null : InputFile.Read(path, MaxRecordFile);
        if (record is not null && record.Length != EpochRecord.Length)
        {
            throw new UsageException($"{path} has {record.Length} octets; a record has {EpochRecord.Length}.");
        }
        try
        {
            _ = record is null ? null : EpochRecord.Decode(record);
        }
        catch (EncodingException e)
        {
            throw new UsageException($"{path}: {e.Message}", e);
        }
        return record;
    }

    private static int Print(CommandHost host, bool json, Judgement judgement)
    {
        bool valid = judgement.Reason == Reason.Valid;
        foreach (JudgedKey? key in judgement.Keys.Count == 0 ? [null] : judgement.Keys.Select(key => (JudgedKey?)key))
        {
            if (json)
            {
                Report.Json(host, valid ? key?.Verdict ?? "valid" : "invalid", judgement.Reason.Name(),
                    key?.Epoch ?? judgement.Epoch, writer =>
                {
                    writer.WriteString("kind"u8, judgement.Kind);
                    writer.WriteBoolean("fresh_checked"u8, judgement.IsFreshChecked);
                    Report.Number(writer, "time_ms",
                        (key?.Time ?? judgement.Time) is { } time ? (ulong)time.ToUnixTimeMilliseconds() : null);
                    if (key?.User is { } user)
                    {
                        Write(writer, key, user);
                    }
                    else if (key is not null)
                    {
                        Report.Key(writer, key.Key);
                        Report.Number(writer, "version", key.Version);
                        if (key.Value is { } value)
                        {
                            Values.Write(writer, value);
                        }
                    }
                });
            }
            else if (key is not null && valid)
            {
                host.Out.WriteLine(
                    $"{DisplayText.Show(key.Key.Span)}: {key.Verdict}{(key.Version > 0 ? $", version {key.Version}" : "")}, epoch {key.Epoch ?? judgement.Epoch}, valid");
                if (key.Value is { } value)
                {
                    host.Out.WriteLine($"  {Values.Name(value)}  {Values.Show(value)}");
                }
                if (key.User is { } user)
                {
                    host.Out.WriteLine(
                        $"  user     {(user.User is { } octets ? DisplayText.Show(octets.Span) : "none")}{(user.HasLeft ? ", has left for good" : "")}");
                    UserReport.Earlier(host.Out, user.Earlier);
                    UserReport.Devices(host.Out, user.Devices);
                    UserVersionList.Show(host.Out, user.Lists, user.Versions, null);
                }
            }
            else if (key is null)
            {
                host.Out.WriteLine(
                    $"{judgement.Kind}: {(valid ? "valid" : $"invalid, {judgement.Reason.Name()}")}{(valid && judgement.Epoch is { } epoch ? $", epoch {epoch}" : "")}");
            }
        }
        if (!json)
        {
            if (valid)
            {
                host.Out.WriteLine($"  checked  {judgement.Checked}");
                host.Out.WriteLine($"  not      {judgement.NotChecked}");
            }
            else
            {
                host.Error.WriteLine(
                    "Nothing of this file is to be believed. Are --trust, the keys and their order those of the question?");
            }
        }
        return valid ? ExitCodes.Success : ExitCodes.Invalid;
    }

    private static void Write(Utf8JsonWriter writer, JudgedKey key, JudgedUser user)
    {
        // In an answer to an owner, the judged key is the user's id and not a username. So print the key as a name only for other answers.
        if (user.User is not { } shown || !shown.Span.SequenceEqual(key.Key.Span))
        {
            UserReport.Username(writer, key.Key);
        }
        writer.WriteNumber("list_version"u8, user.ListVersion);
        if (user.User is not { } id)
        {
            return;
        }
        writer.WriteString("user_b64"u8, Base64UrlText.Encode(id.Span));
        writer.WriteBoolean("decommissioned"u8, user.HasLeft);
        UserReport.Earlier(writer, user.Earlier);
        if (user.Lists.Count > 0 || user.Versions.Count > 0)
        {
            UserVersionList.Write(writer, "lists", user.Lists);
            UserVersionList.Write(writer, "devices", user.Versions, null);
        }
        else
        {
            UserReport.Devices(writer, user.Devices);
        }
    }
}
