using Optiks.Protocol;

namespace Optiks.Cli.Inspecting;

internal sealed partial class AnswerPrinter
{
    private void Users(UserLookupAnswer answer)
    {
        for (int i = 0; i < answer.Parts.Count; i++)
        {
            Line(1, $"part {i + 1}, inclusion proof {Hashes(answer.Parts[i].Inclusion)}");
            Record(2, EpochRecord.Decode(answer.Parts[i].Record.Span));
        }
        foreach (UserLookup user in answer.Users)
        {
            Line(
                1,
                $"user: {user.Kind switch { 0 => "does not exist", 1 => "has left", _ => "current" }}{(user.Name is null && user.Generations is null ? ", whose id the client knows" : "")}");
            Entry("username", StructureId.Usernames, _key, user.Name);
            // The answer contains the user id unless the client named the id in its question.
            ReadOnlyMemory<byte>? id = user.Generations is null ? FindValue(user.Name) : Generations(user.Generations);
            Entry("decommissioned", StructureId.Decommissioned, id, user.Decommissioned);
            if (user.Devices is null)
            {
                continue;
            }
            About(StructureId.Devices, id);
            Line(1, $"device list, of record {user.Devices.Record}");
            Lookup(user.Devices.Lookup);
            IReadOnlyList<ReadOnlyMemory<byte>> ids = user.Devices.Lookup.Members is [.., { Kind: MemberKind.Opened } list]
                && DeviceList.TryDecode(list.Value, out IReadOnlyList<ReadOnlyMemory<byte>>? listed) ? listed : [];
            for (int i = 0; i < user.Keys.Count; i++)
            {
                // If the client requested one device, the answer has one key and does not name the key's device.
                ReadOnlyMemory<byte>? device = ids.Count == user.Keys.Count ? ids[i] : null;
                About(StructureId.Keys, device);
                Line(1,
                    $"{(device is { } octets ? $"device {DisplayText.Show(octets.Span)}" : "a device")}, of record {user.Keys[i].Record}");
                Lookup(user.Keys[i].Lookup);
            }
        }
    }

    // Prints the users of a reassigned username, and returns the id of the last user.
    private ReadOnlyMemory<byte>? Generations(Generations generations)
    {
        About(StructureId.Usernames, _key);
        Line(1, $"username, of record {generations.Record}, {Count(generations.Names.Members.Count, "user", "users")} one after another");
        Versions(generations.Names);
        for (int i = 0; i < generations.Left.Count; i++)
        {
            ReadOnlyMemory<byte>? earlier = i < generations.Names.Members.Count ? FindValue(generations.Names.Members[i]) : null;
            Entry($"decommissioned, of user {i + 1}", StructureId.Decommissioned, earlier, generations.Left[i]);
        }
        return generations.Names.Members is [.., var last] ? FindValue(last) : null;
    }

    private void OwnUser(UserMonitorAnswer answer)
    {
        foreach (UserEntry name in answer.Names)
        {
            Entry("username", StructureId.Usernames, answer.Names.Count == 1 ? _key : null, name);
        }
        ReadOnlyMemory<byte>? id = answer.Names.Select(FindValue).FirstOrDefault(value => value is not null);
        Entry("decommissioned", StructureId.Decommissioned, id, answer.Decommissioned);
        if (answer.Devices is null)
        {
            return;
        }
        About(StructureId.Devices, id);
        Line(1, "device list");
        Versions(answer.Devices);
        ReadOnlyMemory<byte>[] ids = [.. DeviceList.IdsOf(answer.Devices.OpenedValues)];
        for (int i = 0; i < answer.Keys.Count; i++)
        {
            // The answer does not repeat device ids that the client named in its question. So match ids with keys only if the answer
            // contains an id for every key.
            ReadOnlyMemory<byte>? device = ids.Length == answer.Keys.Count ? ids[i] : null;
            About(StructureId.Keys, device);
            Line(1, device is { } octets ? $"device {DisplayText.Show(octets.Span)}" : "a device");
            Versions(answer.Keys[i]);
        }
    }

    private void Entry(string name, StructureId structure, ReadOnlyMemory<byte>? key, UserEntry? entry)
    {
        if (entry is null)
        {
            return;
        }
        About(structure, key);
        Line(1, $"{name}, of record {entry.Record}");
        if (entry.Member is { } member)
        {
            Member(member, 0);
        }
        else
        {
            Absent(entry.Absent!, 0);
        }
    }

    // Sets the structure and the key. The lines that are printed next show the labels of this key.
    private void About(StructureId structure, ReadOnlyMemory<byte>? key)
    {
        _structure = structure;
        _subject = key;
    }

    private static ReadOnlyMemory<byte>? FindValue(UserEntry? entry) => entry?.Member is { } member ? FindValue(member) : null;

    private static ReadOnlyMemory<byte>? FindValue(Member member) =>
        member.Kind == MemberKind.Opened ? member.Value : default(ReadOnlyMemory<byte>?);
}
