using System.Text.Json;

namespace Optiks.Protocol;

public static partial class AnswerJson
{
    /// <summary>
    /// Renders a UserLookupAnswer as the JSON object <c>{"head": ..., "parts": [...], "users": [...]}</c>. If the value of a device list
    /// can be decoded, the device ids appear next to the value as <c>list</c>.
    /// </summary>
    public static void WriteUserLookupAnswer(Utf8JsonWriter writer, ReadOnlyMemory<byte> answer)
    {
        ArgumentNullException.ThrowIfNull(writer);
        var decoded = UserLookupAnswer.Decode(answer);
        writer.WriteStartObject();
        WriteHead(writer, "head", decoded.Head);
        WriteParts(writer, "parts", decoded.Parts);
        writer.WriteStartArray("users"u8);
        foreach (UserLookup user in decoded.Users)
        {
            WriteUser(writer, user);
        }
        writer.WriteEndArray();
        writer.WriteEndObject();
    }

    /// <summary>
    /// Renders a UserMonitorAnswer as the JSON object <c>{"head": ..., "names": [...], "decommissioned": {...}, "devices": {...}, "keys":
    /// [...]}</c>. If the user has left, the object has no <c>devices</c> and no <c>keys</c>.
    /// </summary>
    public static void WriteUserMonitorAnswer(Utf8JsonWriter writer, ReadOnlyMemory<byte> answer)
    {
        ArgumentNullException.ThrowIfNull(writer);
        var decoded = UserMonitorAnswer.Decode(answer);
        writer.WriteStartObject();
        WriteHead(writer, "head", decoded.Head);
        writer.WriteStartArray("names"u8);
        foreach (UserEntry name in decoded.Names)
        {
            WriteEntry(writer, null, name);
        }
        writer.WriteEndArray();
        WriteEntry(writer, "decommissioned", decoded.Decommissioned);
        if (decoded.Devices is not null)
        {
            writer.WritePropertyName("devices"u8);
            WriteVersions(writer, decoded.Devices);
            writer.WriteStartArray("keys"u8);
            foreach (Versions key in decoded.Keys)
            {
                WriteVersions(writer, key);
            }
            writer.WriteEndArray();
        }
        writer.WriteEndObject();
    }

    private static void WriteUser(Utf8JsonWriter writer, UserLookup user)
    {
        writer.WriteStartObject();
        writer.WriteNumber("kind"u8, user.Kind + (user.Generations is null ? 0 : UserLookup.ByGenerations));
        if (user.Generations is not null)
        {
            WriteGenerations(writer, user.Generations);
        }
        WriteEntry(writer, "name", user.Name);
        WriteEntry(writer, "decommissioned", user.Decommissioned);
        if (user.Devices is not null)
        {
            writer.WriteStartObject("devices"u8);
            WriteVersionedEntry(writer, user.Devices);
            WriteDeviceList(writer, user.Devices.Lookup.Members is [.., var latest] ? latest : null);
            writer.WriteEndObject();
            writer.WriteStartArray("keys"u8);
            foreach (VersionedEntry key in user.Keys)
            {
                writer.WriteStartObject();
                WriteVersionedEntry(writer, key);
                writer.WriteEndObject();
            }
            writer.WriteEndArray();
        }
        writer.WriteEndObject();
    }

    private static void WriteGenerations(Utf8JsonWriter writer, Generations generations)
    {
        writer.WriteStartObject("generations"u8);
        writer.WriteNumber("record"u8, generations.Record);
        writer.WritePropertyName("names"u8);
        WriteVersions(writer, generations.Names);
        writer.WriteStartArray("left"u8);
        foreach (UserEntry left in generations.Left)
        {
            WriteEntry(writer, null, left);
        }
        writer.WriteEndArray();
        writer.WriteEndObject();
    }

    // Writes the entry as a member with this name, or as an element of a list if the name is null.
    private static void WriteEntry(Utf8JsonWriter writer, string? name, UserEntry? entry)
    {
        if (entry is null)
        {
            return;
        }
        if (name is not null)
        {
            writer.WritePropertyName(name);
        }
        writer.WriteStartObject();
        writer.WriteNumber("record"u8, entry.Record);
        writer.WriteNumber("kind"u8, entry.Member is null ? 0 : 1);
        if (entry.Member is not null)
        {
            writer.WritePropertyName("member"u8);
            WriteMember(writer, entry.Member);
        }
        else
        {
            writer.WritePropertyName("absent"u8);
            WriteNonMember(writer, entry.Absent!);
        }
        writer.WriteEndObject();
    }

    private static void WriteVersionedEntry(Utf8JsonWriter writer, VersionedEntry entry)
    {
        writer.WriteNumber("record"u8, entry.Record);
        writer.WritePropertyName("lookup"u8);
        WriteLookup(writer, entry.Lookup);
    }

    // If the client already knows the latest device list, the answer does not contain it, so there is nothing to write.
    private static void WriteDeviceList(Utf8JsonWriter writer, Member? latest)
    {
        if (latest is not { Kind: MemberKind.Opened }
            || !DeviceList.TryDecode(latest.Value, out IReadOnlyList<ReadOnlyMemory<byte>>? devices))
        {
            return;
        }
        writer.WriteStartArray("list"u8);
        foreach (ReadOnlyMemory<byte> device in devices)
        {
            writer.WriteStartObject();
            WriteOctets(writer, "device_b64", device);
            if (DisplayText.IsText(device.Span))
            {
                writer.WriteString("device"u8, device.Span);
            }
            writer.WriteEndObject();
        }
        writer.WriteEndArray();
    }
}
