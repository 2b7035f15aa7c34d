using System.Text.Json;
using Optiks.Cli.Commands.Users;
using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli.Commands;

/// <summary>
/// Prints the outcome of an erasure: the receipt, and the time until which a replica may still serve a copy of the values.
/// </summary>
internal sealed class ErasureReport
{
    private readonly CommandHost _host;
    private readonly bool _json;
    private readonly bool _waited;

    public ErasureReport(CommandHost host, bool json, bool waited)
    {
        _host = host;
        _json = json;
        _waited = waited;
    }

    /// <summary>Returns the advice on how to continue a request whose outcome is not known.</summary>
    public static string RepeatHint(Guid id) =>
        $"Go on with the same command and --wait --request-id {id}: erasing what is gone already changes nothing.";

    /// <summary>Prints the result and returns the exit code.</summary>
    public int Print(ErasureResult result)
    {
        string subject = DisplayText.Show((result.Structure == StructureId.Keys ? result.Key : result.Username)!.Value.Span);
        return result switch
        {
            { Lookup: { IsValid: false } lookup } => Report.Refused(_host, _json, subject, lookup, writer => Request(writer, result)),
            { Status: ErasureStatus.Refused } => Refused(subject, result),
            { Status: ErasureStatus.Pending } => Pending(subject, result),
            _ => Erased(subject, result),
        };
    }

    private int Erased(string subject, ErasureResult result)
    {
        if (_json)
        {
            Report.Json(_host, "accepted", "values_erased", result.Epoch, writer => Request(writer, result));
            return ExitCodes.Success;
        }
        _host.Out.WriteLine(
            $"{subject}: erased for good in epoch {result.Epoch}, {(result.Erased.Count == 0 ? "nothing that was not gone before" : $"{result.Erased.Count} values")}, says the server");
        foreach (ErasedVersion erased in result.Erased)
        {
            _host.Out.WriteLine(
                $"  gone     {Structures.Names[(int)erased.Structure - 1]} version {erased.Version.Version}, published in epoch {erased.Epoch}");
        }
        _host.Out.WriteLine(result.ServedUntil is { } until
            ? $"  until    {until:yyyy-MM-dd HH:mm:ss}Z a replica that does not follow the log may serve them"
            : "  until    a replica that does not follow the log is refused as too old, it may serve them");
        _host.Out.WriteLine("  beyond   the log's reach: backups and exports made before, and copies that others took");
        return ExitCodes.Success;
    }

    private int Pending(string subject, ErasureResult result)
    {
        if (_json)
        {
            Report.Json(_host, "accepted", "pending", null, writer => Request(writer, result));
        }
        else
        {
            _host.Out.WriteLine($"{subject}: accepted, durable at the server, not erased yet (request {result.RequestId})");
            _host.Out.WriteLine($"  next     {RepeatHint(result.RequestId)}");
        }
        return _waited ? ExitCodes.Unreachable : ExitCodes.Success;
    }

    private int Refused(string subject, ErasureResult result)
    {
        if (_json)
        {
            Report.Json(_host, null, ServerWords.Refusal(result.RefusedBecause), null, writer =>
            {
                Request(writer, result);
                Report.Number(writer, "current_version", result.Current?.Version);
            });
        }
        _host.Error.WriteLine($"{subject}: refused, {Sentence(result)} Nothing was erased.");
        return ExitCodes.Unreachable;
    }

    private static string Sentence(ErasureResult result) => result.RefusedBecause switch
    {
        "latest-version" =>
            $"latest-version: the latest value is never erased{(result.Current is { } current ? $", that is version {current.Version}" : "")}.",
        "other-period" =>
            $"other-period: the versions are those of period {result.Period}, and another one is current{(result.Current is { } current ? $", {current.Period}" : "")}. Monitor first, and name its versions.",
        "user-not-left" => "user-not-left: all of a user is erased only once it has left.",
        "user-unknown" => "user-unknown: no user has this name.",
        "erasure-limit" => "erasure-limit: the user has too many values at once, erase superseded versions of its devices first.",
        "nothing-left" => "nothing-left: no period that is served has a value of the user.",
        "erased-with-user" => "erased-with-user: lists of a user who has left are erased with all of the user, without versions.",
        var reason => $"{reason}.",
    };

    private static void Request(Utf8JsonWriter writer, ErasureResult result)
    {
        if (result.Structure == StructureId.Keys)
        {
            Report.Key(writer, result.Key!.Value);
        }
        else
        {
            UserReport.Username(writer, result.Username!.Value);
        }
        if (result.User is { } user)
        {
            writer.WriteString("user_b64"u8, Base64UrlText.Encode(user.Span));
        }
        writer.WriteString("request_id"u8, result.RequestId);
        if (result.Status != ErasureStatus.Erased)
        {
            return;
        }
        writer.WriteStartArray("erased"u8);
        foreach (ErasedVersion erased in result.Erased)
        {
            writer.WriteStartObject();
            writer.WriteString("structure"u8, Structures.Names[(int)erased.Structure - 1]);
            writer.WriteNumber("period"u8, erased.Version.Period);
            writer.WriteNumber("version"u8, erased.Version.Version);
            writer.WriteNumber("epoch"u8, erased.Epoch);
            writer.WriteEndObject();
        }
        writer.WriteEndArray();
        Report.Number(writer, "served_until_ms", result.ServedUntil is { } until ? (ulong)until.ToUnixTimeMilliseconds() : null);
    }
}
