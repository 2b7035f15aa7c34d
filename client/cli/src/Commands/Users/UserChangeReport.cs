using System.Text.Json;
using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli.Commands.Users;

/// <summary>Prints the outcome of a request about a user.</summary>
internal sealed class UserChangeReport
{
    private readonly CommandHost _host;
    private readonly bool _json;
    private readonly bool _waited;
    private readonly NoteFinder _notes;

    public UserChangeReport(CommandHost host, bool json, bool waited, NoteFinder notes)
    {
        _host = host;
        _json = json;
        _waited = waited;
        _notes = notes;
    }

    /// <summary>Prints the result and returns the exit code.</summary>
    public int Print(UserUpdateResult result)
    {
        string name = DisplayText.Show(result.Username.Span);
        return result switch
        {
            _ when result.Lookups.FirstOrDefault(lookup => !lookup.IsValid) is { } lookup =>
                Report.Refused(_host, _json, name, lookup, writer => Request(writer, result)),
            { History: { } history } => Report.Refused(_host, _json, name, history, writer => Request(writer, result)),
            { Look: { IsValid: false } look } => Report.Refused(_host, _json, name, look, writer => Request(writer, result)),
            { Status: UpdateStatus.Refused, Look.Alarms.Count: > 0 } => NotLeft(name, result, result.Look!),
            { Status: UpdateStatus.Refused } => Refused(name, result),
            { Status: UpdateStatus.Pending } => Pending(name, result),
            { Confirmation: UpdateConfirmation.Contradicted } => NotShown(name, result),
            { Confirmation: UpdateConfirmation.Confirmed } => Published(name, result),
            _ => NotConfirmed(name, result),
        };
    }

    // Prints that the request to leave was not sent, because monitoring found alarms. After the user has left, nobody could see the
    // versions that raised the alarms.
    private int NotLeft(string name, UserUpdateResult result, UserMonitorResult look)
    {
        if (_json)
        {
            Report.Json(_host, "invalid", UserAlarmReport.Reason(look.Alarms), look.Head!.Epoch, writer =>
            {
                Request(writer, result);
                UserAlarmReport.Write(writer, "alarms", look.Alarms.Select(alarm => new ReviewedUserAlarm(alarm, null)));
            });
        }
        else
        {
            _host.Out.WriteLine($"{name}: not sent, there are alarms up to epoch {look.Head!.Epoch}");
            UserVersionList.Show(_host.Out, look.NewLists, look.NewVersions, _notes);
            UserAlarmReport.Show(_host.Out, look.Alarms);
        }
        _host.Error.WriteLine(
            $"Nothing was sent. After a user has left, the log shows nothing more of this user: first run optiks user monitor {name} --accept, or repeat this command with --unseen.");
        return ExitCodes.Invalid;
    }

    private int Pending(string name, UserUpdateResult result)
    {
        if (_json)
        {
            Accepted("pending", result);
        }
        else
        {
            _host.Out.WriteLine($"{name}: accepted, durable at the server, not published yet (request {result.RequestId})");
            Looked(result);
            _host.Out.WriteLine($"  next     {UpdateCommand.RepeatHint(result.RequestId)}");
        }
        return _waited ? ExitCodes.Unreachable : ExitCodes.Success;
    }

    private int Published(string name, UserUpdateResult result)
    {
        UserLookupResult now = result.Lookups[0];
        if (_json)
        {
            Accepted(Reason.Valid.Name(), result);
            return ExitCodes.Success;
        }
        _host.Out.WriteLine(
            $"{name}: accepted, published in epoch {result.Epoch}, verified at epoch {now.Epoch}, {Report.Standing(now.Head!)}");
        _host.Out.WriteLine($"  user     {DisplayText.Show(now.User!.Value.Span)}{(now.HasLeft ? ", has left for good" : "")}");
        UserReport.Devices(_host.Out, now.Devices);
        Looked(result);
        return ExitCodes.Success;
    }

    private void Looked(UserUpdateResult result)
    {
        if (result.Look is { IsValid: true, Head: { } head })
        {
            _host.Out.WriteLine(
                $"  looked   before it was sent, at epoch {head.Epoch}: all versions up to there were set here. Later ones are shown to nobody once the user has left");
        }
    }

    private int NotConfirmed(string name, UserUpdateResult result)
    {
        if (_json)
        {
            Accepted("not_confirmed", result);
        }
        else
        {
            _host.Out.WriteLine($"{name}: accepted, not confirmed: the server says that it was published in epoch {result.Epoch}");
            _host.Error.WriteLine($"{name}: {result.Detail}. `optiks user lookup {name}` shows the user as it is now.");
        }
        return ExitCodes.Unreachable;
    }

    private int NotShown(string name, UserUpdateResult result)
    {
        if (_json)
        {
            Report.Json(_host, "invalid", "other_value", result.Lookups[0].Epoch, writer => Request(writer, result));
        }
        else
        {
            _host.Out.WriteLine(
                $"{name}: invalid, the server says that it published the request in epoch {result.Epoch}, but {result.Detail}");
            _host.Error.WriteLine($"Run `optiks user lookup {name}` and report it to the operator and the auditors.");
        }
        return ExitCodes.Invalid;
    }

    private int Refused(string name, UserUpdateResult result)
    {
        if (_json)
        {
            Report.Json(_host, null, ServerWords.Refusal(result.RefusedBecause), null, writer =>
            {
                Request(writer, result);
                Report.Number(writer, "current_version", result.Current?.Version);
            });
        }
        _host.Error.WriteLine($"{name}: refused, {Sentence(result)} Nothing changed.");
        return ExitCodes.Unreachable;
    }

    private static string Sentence(UserUpdateResult result) => result.RefusedBecause switch
    {
        "expected-version" =>
            $"expected-version: another version is the latest{(result.Current is { } current ? $", {current.Version}" : "")}.",
        "user-left" => "user-left: the user has left for good.",
        "user-unknown" => "user-unknown: no user has this name, `optiks user create` makes one.",
        "user-exists" => "user-exists: there is such a user already.",
        "username-taken" => "username-taken: the username leads to a user already.",
        "device-taken" => "device-taken: the device id was used before, choose another one.",
        "device-unknown" => "device-unknown: the user has no such device.",
        "device-limit" => "device-limit: the user has as many devices as this log allows.",
        var reason => $"{reason}.",
    };

    private void Accepted(string reason, UserUpdateResult result) =>
        Report.Json(_host, "accepted", reason, result.Epoch, writer => Request(writer, result));

    private static void Request(Utf8JsonWriter writer, UserUpdateResult result)
    {
        UserReport.Username(writer, result.Username);
        writer.WriteString("request_id"u8, result.RequestId);
        writer.WriteBoolean("published"u8, result.Status == UpdateStatus.Published);
        writer.WriteBoolean("confirmed"u8, result.Confirmed);
        if (result.Lookups.Count > 0 && result.Lookups[0] is { IsValid: true, User: not null } now)
        {
            UserReport.State(writer, now);
            writer.WriteNumber("verified_epoch"u8, now.Epoch);
        }
        else if (result.User is { } user)
        {
            writer.WriteString("user_b64"u8, Base64UrlText.Encode(user.Span));
        }
        if (result.Look is { IsValid: true, Head: { } looked })
        {
            writer.WriteNumber("looked_epoch"u8, looked.Epoch);
        }
        if (result.Detail is not null)
        {
            writer.WriteString("detail"u8, result.Detail);
        }
    }
}
