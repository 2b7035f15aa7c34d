using System.Text.Json;
using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli.Commands.Users;

/// <summary>Prints alarms about users.</summary>
internal static class UserAlarmReport
{
    /// <summary>Returns the reason to print for several alarms, which is the reason of the gravest alarm (docs/spec/reasons.md section
    /// 2).</summary>
    public static string Reason(IReadOnlyList<UserAlarm> alarms) =>
        alarms.Any(alarm => alarm.Kind == UserAlarmKind.NameElsewhere) ? "unexpected_user"
        : alarms.Any(alarm => alarm.Kind == UserAlarmKind.Left) ? "unexpected_leave"
        : MonitorCommand.UnexpectedVersion;

    /// <summary>Writes the alarms as a JSON array, as the value of the member with the given name.</summary>
    public static void Write(Utf8JsonWriter writer, string name, IEnumerable<ReviewedUserAlarm> alarms)
    {
        writer.WriteStartArray(name);
        foreach ((UserAlarm alarm, ReadOnlyMemory<byte>? value) in alarms)
        {
            writer.WriteStartObject();
            writer.WriteString("about"u8, alarm.Kind switch
            {
                UserAlarmKind.DeviceList => "list",
                UserAlarmKind.DeviceValue => "device",
                UserAlarmKind.Left => "left",
                _ => "name",
            });
            if (alarm.Name is not null)
            {
                UserReport.Username(writer, Octets(alarm.Name));
                writer.WriteString("user_b64"u8, alarm.User);
            }
            if (alarm.Device is not null)
            {
                UserReport.Device(writer, Octets(alarm.Device));
            }
            if (alarm.Version > 0 || alarm.Handover is not null)
            {
                writer.WriteNumber("period"u8, alarm.Period);
                writer.WriteNumber("version"u8, alarm.Version);
                writer.WriteString("value_sha256"u8, alarm.ValueSha256);
            }
            if (alarm.Handover is { } handover)
            {
                writer.WriteString("handover"u8, handover.Name());
            }
            writer.WriteNumber("epoch"u8, alarm.Epoch);
            if (value is { } octets && alarm.Kind == UserAlarmKind.DeviceList)
            {
                UserVersionList.Ids(writer, "devices", DeviceList.Decode(octets));
            }
            else if (value is { } shown)
            {
                Values.Write(writer, shown);
            }
            writer.WriteEndObject();
        }
        writer.WriteEndArray();
    }

    /// <summary>Prints the alarms as sentences for a human reader, one alarm per line.</summary>
    public static void Show(TextWriter output, IEnumerable<UserAlarm> alarms)
    {
        foreach (UserAlarm alarm in alarms)
        {
            output.WriteLine($"  ALARM: {Sentence(alarm)}");
        }
    }

    /// <summary>Prints the alarms that the owner has acknowledged, each with the device list or the value that it is about.</summary>
    public static void ShowAccepted(TextWriter output, IEnumerable<ReviewedUserAlarm> alarms)
    {
        foreach ((UserAlarm alarm, ReadOnlyMemory<byte>? value) in alarms)
        {
            string shown = alarm.Version == 0 ? ""
                : value is not { } octets ? $": {Values.NotShown}"
                : alarm.Kind == UserAlarmKind.DeviceList ? $": {UserVersionList.Ids(DeviceList.Decode(octets))}"
                : $"{Values.Note(octets)}: {Values.Show(octets)}";
            output.WriteLine($"  accepted: {Subject(alarm)}{shown}");
        }
    }

    private static string Sentence(UserAlarm alarm) => alarm.Kind switch
    {
        UserAlarmKind.Left => $"{Subject(alarm)}, which was not asked for here",
        UserAlarmKind.NameElsewhere => Subject(alarm),
        _ when PeriodReport.Sentence(alarm.Handover, alarm.Period) is { } handover =>
            $"{What(alarm)} {handover} (SHA-256 {alarm.ValueSha256 ?? "unknown"})",
        _ => $"{Subject(alarm)}, was not set here (SHA-256 {alarm.ValueSha256 ?? "unknown: not shown"})",
    };

    private static string Subject(UserAlarm alarm) => alarm.Kind switch
    {
        _ when PeriodReport.Sentence(alarm.Handover, alarm.Period) is { } handover => $"{What(alarm)} {handover}",
        UserAlarmKind.DeviceList =>
            $"device list version {alarm.Version}, published in epoch {alarm.Epoch}{VersionList.Period(alarm.Period)}",
        UserAlarmKind.DeviceValue =>
            $"{What(alarm)}, version {alarm.Version}, published in epoch {alarm.Epoch}{VersionList.Period(alarm.Period)}",
        UserAlarmKind.Left => $"the user has left, seen at epoch {alarm.Epoch}",
        _ =>
            $"{DisplayText.Show(Octets(alarm.Name!).Span)}, a name of your own, leads to another user, {DisplayText.Show(Octets(alarm.User!).Span)}, seen at epoch {alarm.Epoch}",
    };

    private static string What(UserAlarm alarm) =>
        alarm.Device is null ? "device list" : $"device {DisplayText.Show(Octets(alarm.Device).Span)}";

    // Decodes an id from the client's own state, which was checked when it was loaded.
    private static ReadOnlyMemory<byte> Octets(string id) => Base64UrlText.TryDecode(id, out byte[]? octets) ? octets : default;
}
