using System.Text.Json;
using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli.Commands.Users;

/// <summary>Prints verified facts about users.</summary>
internal static class UserReport
{
    /// <summary>Prints the result of a lookup and returns the exit code.</summary>
    public static int Print(CommandHost host, bool json, UserLookupResult result)
    {
        string name = DisplayText.Show(result.Username.Span);
        if (!result.IsValid)
        {
            return Report.Refused(host, json, name, result, writer =>
            {
                Username(writer, result.Username);
                writer.WriteBoolean("at_fault"u8, result.AtFault);
            });
        }
        bool alarm = result.Alarms.Count > 0;
        if (json)
        {
            Report.Json(host, alarm ? "invalid" : Report.Name(result.Verdict),
                alarm ? UserAlarmReport.Reason(result.Alarms) : Reason.Valid.Name(), result.Epoch, writer =>
            {
                Username(writer, result.Username);
                State(writer, result);
                Report.Head(writer, result.Head, result.Time);
                if (alarm)
                {
                    UserAlarmReport.Write(writer, "alarms", result.Alarms.Select(one => new ReviewedUserAlarm(one, null)));
                }
            });
            return alarm ? ExitCodes.Invalid : ExitCodes.Success;
        }
        host.Out.WriteLine(result switch
        {
            { User: null } => $"{name}: absent, epoch {result.Epoch}, {Report.Standing(result.Head!)}",
            { HasLeft: true } => $"{name}: present, has left for good, epoch {result.Epoch}, {Report.Standing(result.Head!)}",
            { AskedDevice: not null } =>
                $"{name}: present, device {(result.Devices.Count == 0 ? "not on" : "on")} list version {result.ListVersion}, epoch {result.Epoch}, {Report.Standing(result.Head!)}",
            _ =>
                $"{name}: present, {Count(result.Devices.Count)}, list version {result.ListVersion}, epoch {result.Epoch}, {Report.Standing(result.Head!)}",
        });
        if (result.User is { } user)
        {
            host.Out.WriteLine($"  user     {DisplayText.Show(user.Span)}");
        }
        Earlier(host.Out, result.EarlierUsers);
        Devices(host.Out, result.Devices);
        string state = result.Epoch == result.Head!.Epoch
            ? ""
            : $", the state at epoch {result.Epoch} ({result.Time:yyyy-MM-dd HH:mm:ss}Z)";
        host.Out.WriteLine($"  checked  {LookupCommand.Statement(result.Head)}{state}");
        UserAlarmReport.Show(host.Out, result.Alarms);
        return alarm ? ExitCodes.Invalid : ExitCodes.Success;
    }

    /// <summary>Writes a device id in base64url, and also as text if the id is valid text.</summary>
    public static void Device(Utf8JsonWriter writer, ReadOnlyMemory<byte> device)
    {
        if (DisplayText.IsText(device.Span))
        {
            writer.WriteString("device"u8, device.Span);
        }
        writer.WriteString("device_b64"u8, Base64UrlText.Encode(device.Span));
    }

    /// <summary>Writes a username in base64url, and also as text if the name is valid text.</summary>
    public static void Username(Utf8JsonWriter writer, ReadOnlyMemory<byte> username)
    {
        if (DisplayText.IsText(username.Span))
        {
            writer.WriteString("username"u8, username.Span);
        }
        writer.WriteString("username_b64"u8, Base64UrlText.Encode(username.Span));
    }

    /// <summary>Writes, in JSON, the user that a valid lookup shows.</summary>
    public static void State(Utf8JsonWriter writer, UserLookupResult result)
    {
        if (result.User is not { } user)
        {
            return;
        }
        writer.WriteString("user_b64"u8, Base64UrlText.Encode(user.Span));
        writer.WriteBoolean("decommissioned"u8, result.HasLeft);
        Earlier(writer, result.EarlierUsers);
        writer.WriteNumber("list_version"u8, result.ListVersion);
        Devices(writer, result.Devices);
    }

    /// <summary>Writes the earlier users of a reassigned name as JSON members; writes nothing if the name has no earlier users.</summary>
    public static void Earlier(Utf8JsonWriter writer, IReadOnlyList<EarlierUser> earlier)
    {
        if (earlier.Count == 0)
        {
            return;
        }
        writer.WriteBoolean("recycled"u8, true);
        writer.WriteStartArray("earlier_users"u8);
        foreach (EarlierUser user in earlier)
        {
            writer.WriteStartObject();
            writer.WriteString("user_b64"u8, Base64UrlText.Encode(user.User.Span));
            writer.WriteNumber("since_epoch"u8, user.SinceEpoch);
            writer.WriteNumber("left_epoch"u8, user.LeftEpoch);
            writer.WriteEndObject();
        }
        writer.WriteEndArray();
    }

    /// <summary>Prints in words the earlier users of a reassigned name, one per line.</summary>
    public static void Earlier(TextWriter output, IReadOnlyList<EarlierUser> earlier)
    {
        foreach (EarlierUser user in earlier)
        {
            output.WriteLine(
                $"  recycled the name was {DisplayText.Show(user.User.Span)}'s from epoch {user.SinceEpoch} until that user left in epoch {user.LeftEpoch}");
        }
    }

    /// <summary>Writes the devices in the JSON member <c>devices</c>.</summary>
    public static void Devices(Utf8JsonWriter writer, IReadOnlyList<UserDevice> devices)
    {
        writer.WriteStartArray("devices"u8);
        foreach (UserDevice device in devices)
        {
            writer.WriteStartObject();
            Device(writer, device.Device);
            writer.WriteNumber("version"u8, device.Version);
            if (device.Value is { } value)
            {
                Report.Number(writer, "published_epoch", Report.PublishedEpoch(device.PublishedEpoch));
                Values.Write(writer, value);
                writer.WriteBoolean("unchanged"u8, device.Unchanged);
            }
            writer.WriteEndObject();
        }
        writer.WriteEndArray();
    }

    /// <summary>Prints the devices for people, one per line.</summary>
    public static void Devices(TextWriter output, IReadOnlyList<UserDevice> devices)
    {
        foreach (UserDevice device in devices)
        {
            output.WriteLine(
                $"  device   {DisplayText.Show(device.Device.Span)}: {(device.Value is { } value ? $"version {device.Version}{Values.Note(value)}, {Values.Show(value)}" : "no value")}");
        }
    }

    private static string Count(int devices) => devices == 1 ? "1 device" : $"{devices} devices";
}
