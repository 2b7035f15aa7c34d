using System.Text.Json;
using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli.Commands.Users;

/// <summary>Prints versions of a device list and of the keys of devices.</summary>
internal static class UserVersionList
{
    public static void Write(Utf8JsonWriter writer, string name, IEnumerable<UserListVersion> lists)
    {
        writer.WriteStartArray(name);
        foreach (UserListVersion list in lists)
        {
            writer.WriteStartObject();
            writer.WriteNumber("period"u8, list.Period);
            writer.WriteNumber("version"u8, list.Version);
            writer.WriteNumber("epoch"u8, list.Epoch);
            if (list.Devices is null)
            {
                writer.WriteBoolean("not_shown"u8, true);
            }
            else
            {
                Ids(writer, "devices", list.Devices);
            }
            writer.WriteEndObject();
        }
        writer.WriteEndArray();
    }

    public static void Write(Utf8JsonWriter writer, string name, IEnumerable<UserDeviceVersions> devices, NoteFinder? notes)
    {
        writer.WriteStartArray(name);
        foreach (UserDeviceVersions device in devices)
        {
            writer.WriteStartObject();
            UserReport.Device(writer, device.Device);
            VersionList.Write(writer, "versions", device.Device, device.Versions, notes);
            writer.WriteEndObject();
        }
        writer.WriteEndArray();
    }

    public static void Ids(Utf8JsonWriter writer, string name, IEnumerable<ReadOnlyMemory<byte>> devices)
    {
        writer.WriteStartArray(name);
        foreach (ReadOnlyMemory<byte> device in devices)
        {
            writer.WriteStartObject();
            UserReport.Device(writer, device);
            writer.WriteEndObject();
        }
        writer.WriteEndArray();
    }

    public static void Show(TextWriter output, IEnumerable<UserListVersion> lists, IEnumerable<UserDeviceVersions> devices,
        NoteFinder? notes)
    {
        foreach (UserListVersion list in lists)
        {
            output.WriteLine(
                $"  list     version {list.Version,-4} {VersionList.Epoch(list.Epoch, list.Version == 1 && list.Epoch == 0),-14} {(list.Devices is { } ids ? Ids(ids) : Values.NotShown)}{VersionList.Period(list.Period)}");
        }
        foreach (UserDeviceVersions device in devices.Where(device => device.Versions.Count > 0))
        {
            output.WriteLine($"  device   {DisplayText.Show(device.Device.Span)}");
            VersionList.Show(output, device.Device, device.Versions, notes);
        }
    }

    public static string Ids(IReadOnlyCollection<ReadOnlyMemory<byte>> devices) =>
        devices.Count == 0 ? "no device" : string.Join(", ", devices.Select(device => DisplayText.Show(device.Span)));
}
