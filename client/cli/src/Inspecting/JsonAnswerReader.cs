using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.Cli.Inspecting;

/// <summary>Reads the JSON form of answers (docs/spec/rest.md section 4), for display.</summary>
internal static class JsonAnswerReader
{
    public static SavedAnswer Read(ReadOnlyMemory<byte> json)
    {
        try
        {
            using var document = JsonDocument.Parse(json);
            JsonElement root = document.RootElement;
            return root.TryGetProperty("lookups", out JsonElement lookups)
                ? new SavedAnswer.OfLookups(new LookupAnswer(Head(root.GetProperty("head")), [.. lookups.EnumerateArray().Select(Lookup)]))
                : root.TryGetProperty("versions", out JsonElement versions) && root.TryGetProperty("head", out JsonElement head)
                    ? new SavedAnswer.OfVersions(new VersionsAnswer(Head(head), [.. versions.EnumerateArray().Select(Versions)]))
                : root.TryGetProperty("users", out JsonElement users)
                    ? new SavedAnswer.OfUsers(
                        new UserLookupAnswer(Head(root.GetProperty("head")), [.. root.GetProperty("parts").EnumerateArray().Select(Part)],
                            [.. users.EnumerateArray().Select(User)]))
                : root.TryGetProperty("names", out JsonElement names) && root.TryGetProperty("decommissioned", out JsonElement left)
                    ? new SavedAnswer.OfOwnUser(new UserMonitorAnswer(
                        Head(root.GetProperty("head")), [.. names.EnumerateArray().Select(Entry)], Entry(left),
                        root.TryGetProperty("devices", out JsonElement list) ? Versions(list) : null,
                        root.TryGetProperty("keys", out JsonElement keys) ? [.. keys.EnumerateArray().Select(Versions)] : []))
                : root.TryGetProperty("bounds", out JsonElement bounds)
                    ? new SavedAnswer.OfPeriods(
                        new PeriodsAnswer(Head(root.GetProperty("head")), [.. bounds.EnumerateArray().Select(Part)]))
                : root.TryGetProperty("record", out _) ? new SavedAnswer.OfHead(Head(root))
                : root.TryGetProperty("vrf_public_key", out _) || root.TryGetProperty("period_first_epoch", out _)
                    ? new SavedAnswer.OfRecord(Record(root))
                : throw new UsageException(
                    "This JSON is not an answer of lookup, history, monitor or epochs, nor one about users or periods.");
        }
        catch (Exception e)
            when (e is JsonException or KeyNotFoundException or InvalidOperationException or FormatException or EncodingException)
        {
            throw new UsageException($"This JSON is not an answer: {e.Message}", e);
        }
    }

    private static AnswerHead Head(JsonElement element) =>
        new(Octets(element, "record"), Octets(element, "inclusion"), Octets(element, "consistency"), Octets(element, "checkpoint"));

    private static Lookup Lookup(JsonElement element) =>
        new(element.GetProperty("version").GetUInt64(), Members(element), Absent(element));

    private static PartRecord Part(JsonElement element) => new(Octets(element, "record"), Octets(element, "inclusion"));

    private static UserLookup User(JsonElement element) => new(
        element.GetProperty("kind").GetByte(),
        element.TryGetProperty("name", out JsonElement name) ? Entry(name) : null,
        element.TryGetProperty("decommissioned", out JsonElement left) ? Entry(left) : null,
        element.TryGetProperty("devices", out JsonElement list) ? Versioned(list) : null,
        element.TryGetProperty("keys", out JsonElement keys) ? [.. keys.EnumerateArray().Select(Versioned)] : []);

    private static UserEntry Entry(JsonElement element) => element.TryGetProperty("member", out JsonElement member)
        ? new UserEntry(element.GetProperty("record").GetByte(), Member(member), null)
        : new UserEntry(element.GetProperty("record").GetByte(), null, NonMember(element.GetProperty("absent")));

    private static VersionedEntry Versioned(JsonElement element) =>
        new(element.GetProperty("record").GetByte(), Lookup(element.GetProperty("lookup")));

    private static Versions Versions(JsonElement element) => new(
        element.GetProperty("version").GetUInt64(),
        element.GetProperty("from").GetUInt64(),
        Members(element),
        Absent(element));

    private static List<Member> Members(JsonElement element) => [.. element.GetProperty("members").EnumerateArray().Select(Member)];

    private static List<NonMember> Absent(JsonElement element) => [.. element.GetProperty("absent").EnumerateArray().Select(NonMember)];

    private static Member Member(JsonElement element)
    {
        bool opened = element.GetProperty("kind").GetInt32() == (int)MemberKind.Opened;
        return new Member(
            Octets(element, "vrf_proof"),
            element.GetProperty("epoch").GetUInt64(),
            opened ? MemberKind.Opened : MemberKind.Committed,
            Octets(element, opened ? "opening" : "commitment"),
            opened ? Octets(element, "value_b64") : default,
            Path(element));
    }

    private static NonMember NonMember(JsonElement element) =>
        new(Octets(element, "vrf_proof"), element.GetProperty("node").GetInt32() switch
        {
            0 => null,
            1 => new OpenedNode.Interior(
                element.GetProperty("length").GetByte(), Octets(element, "prefix"), Octets(element, "left"), Octets(element, "right"),
                Path(element)),
            2 => new OpenedNode.Leaf(
                Octets(element, "label"), Octets(element, "commitment"), element.GetProperty("epoch").GetUInt64(), Path(element)),
            int node => throw new FormatException($"node {node}"),
        });

    private static TreePath Path(JsonElement element)
    {
        JsonElement path = element.GetProperty("path");
        return new TreePath(Octets(path, "mask"), Octets(path, "siblings"));
    }

    private static EpochRecord Record(JsonElement element) => new()
    {
        LogId = Octets(element, "log_id"),
        Epoch = element.GetProperty("epoch").GetUInt64(),
        Period = element.GetProperty("period").GetUInt64(),
        PeriodFirstEpoch = element.GetProperty("period_first_epoch").GetUInt64(),
        TimeMs = element.GetProperty("time_ms").GetUInt64(),
        Structures =
        [
            .. element.GetProperty("structures").EnumerateArray()
                .Select(state => new StructureState(
                    Octets(state, "root"), state.GetProperty("count").GetUInt64(), Octets(state, "vrf_public_key"))),
        ],
        Previous = Octets(element, "previous"),
    };

    private static ReadOnlyMemory<byte> Octets(JsonElement element, string name) =>
        Base64UrlText.TryDecode(element.GetProperty(name).GetString()!, out byte[]? octets)
            ? octets
            : throw new FormatException($"{name} is not base64url");
}
