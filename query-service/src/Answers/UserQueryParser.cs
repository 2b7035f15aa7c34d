using Optiks.Native;
using Optiks.Protocol;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>UserQueryParser reads the bodies of requests about users, in both forms (docs/spec/rest.md section 4). Refusals are <see cref="ProblemException"/>.</summary>
internal static class UserQueryParser
{
    private const int PrefixLength = 3;

    private static readonly JsonMembers s_query = new("username", "username_b64", "device", "device_b64", "known");
    private static readonly JsonMembers s_known = new("user", "period", "devices", "keys");
    private static readonly JsonMembers s_key = new("device", "device_b64", "version");

    /// <summary>Parse reads a body of one of the two media types. The caller disposes the result.</summary>
    /// <param name="mediaType">Of the body.</param>
    /// <param name="body">The request's.</param>
    /// <param name="log">Whose names they are, in the form that it knows them by (docs/spec/usernames.md).</param>
    /// <param name="lease">Counts the memory of the result.</param>
    public static UserQueries Parse(string mediaType, ReadOnlyMemory<byte> body, Configuration log, AnswerLease lease)
    {
        var rules = new KeyRules(log.MaxKeyLength, Owner: null);
        bool isBinary = mediaType == MediaTypes.UserQuery;
        bool isList = true;
        IReadOnlyList<UserQuery> queries = isBinary ? ParseBinary(body, rules) : ParseJson(body.Span, rules, out isList);
        if (log.UsernameForm != UsernameForm.Octets)
        {
            queries = [.. queries.Select((query, i) => query with { Username = Form(log, query.Username.Span, $"{(isList ? $"$[{i}]" : "$")}.username") })];
        }
        else if (isBinary)
        {
            return new UserQueries(body.Span, queries.Count, isBinary, isList, lease);
        }
        return new UserQueries(UserQueryList.Encode(queries), queries.Count, isBinary, isList, lease);
    }

    /// <summary>Form gives a name in the log's form, in a log that has one.</summary>
    internal static byte[] Form(Configuration log, ReadOnlySpan<byte> name, string field)
    {
        UsernameFault fault = Usernames.Prepare(log, name, out byte[] form);
        return fault == UsernameFault.Valid ? form : throw new ProblemException(new Problem(ProblemTypes.UsernameForm, fault.Sentence(), field));
    }

    private static IReadOnlyList<UserQuery> ParseBinary(ReadOnlyMemory<byte> body, in KeyRules rules)
    {
        if (body.Span.SequenceEqual(stackalloc byte[PrefixLength]))
        {
            throw BatchLength();
        }
        IReadOnlyList<UserQuery> queries;
        try
        {
            queries = UserQueryList.Decode(body);
        }
        catch (EncodingException e)
        {
            throw new ProblemException(new Problem(ProblemTypes.MalformedRequest, $"The body is not a list of queries about users: {e.Message}."), e);
        }
        if (queries.Count > QueryBatch.MaxCount)
        {
            throw BatchLength();
        }
        for (int i = 0; i < queries.Count; i++)
        {
            UserQuery query = queries[i];
            rules.Check(query.Username.Span, $"$[{i}].username");
            if (!query.Device.IsEmpty)
            {
                rules.Check(query.Device.Span, $"$[{i}].device");
            }
            CheckKeys(query.Keys, $"$[{i}].keys");
            if (query.Period != 0 && query.ListVersion == 0 && query.Keys.Count == 0)
            {
                throw Malformed("The period must be 0 without a known version.", $"$[{i}].period");
            }
        }
        return queries;
    }

    /// <summary>CheckKeys checks what a binary body says of keys of devices.</summary>
    internal static void CheckKeys(IReadOnlyList<KnownDeviceKey> keys, string field)
    {
        if (keys.Count > ProtocolLimits.MaxKnownKeys)
        {
            throw TooManyKeys(field);
        }
        for (int i = 0; i < keys.Count; i++)
        {
            if (keys[i].Version == 0 || (i > 0 && DeviceList.Order.Compare(keys[i - 1].Device, keys[i].Device) >= 0))
            {
                throw Malformed("The device ids are strictly increasing, and their versions 1 or more.", field);
            }
        }
    }

    private static List<UserQuery> ParseJson(ReadOnlySpan<byte> body, in KeyRules rules, out bool isList)
    {
        var reader = new StrictJsonReader(body);
        var queries = new List<UserQuery>();
        isList = reader.IsArray;
        if (!isList)
        {
            queries.Add(ParseOne(ref reader, rules));
        }
        else
        {
            reader.StartArray();
            while (reader.TryNextElement())
            {
                if (queries.Count == QueryBatch.MaxCount)
                {
                    throw BatchLength();
                }
                queries.Add(ParseOne(ref reader, rules));
            }
            if (queries.Count == 0)
            {
                throw BatchLength();
            }
        }
        reader.End();
        return queries;
    }

    private static UserQuery ParseOne(ref StrictJsonReader reader, in KeyRules rules)
    {
        byte[]? username = null;
        byte[]? device = null;
        UserQuery known = new(default);
        string path = reader.Path;
        reader.StartObject(s_query);
        while (reader.TryNextMember(out int member))
        {
            switch (member)
            {
                case 0 or 1:
                    username = ReadId(ref reader, member == 0, username, rules);
                    break;
                case 2 or 3:
                    device = ReadId(ref reader, member == 2, device, rules);
                    break;
                default:
                    known = ParseKnown(ref reader, rules);
                    break;
            }
        }
        if (username is null)
        {
            throw Malformed("The query has no username: give 'username' or 'username_b64'.", $"{path}.username");
        }
        return known with { Username = username, Device = device };
    }

    private static UserQuery ParseKnown(ref StrictJsonReader reader, in KeyRules rules)
    {
        bool knowsUser = false;
        ulong? period = null;
        ulong? devices = null;
        List<KnownDeviceKey>? keys = null;
        string path = reader.Path;
        reader.StartObject(s_known);
        while (reader.TryNextMember(out int member))
        {
            switch (member)
            {
                case 0:
                    knowsUser = reader.ReadTrue();
                    break;
                case 1:
                    period = reader.ReadInteger();
                    break;
                case 2:
                    devices = reader.ReadInteger();
                    break;
                default:
                    keys = ParseKeys(ref reader, s_key, rules);
                    break;
            }
        }
        if (period is null != (devices is null && keys is null))
        {
            throw Malformed(period is null ? "The member is missing: versions are of a period." : "The member is of no use without a known version.", $"{path}.period");
        }
        // Of no version, nothing is known.
        bool hasVersion = devices > 0 || keys?.Count > 0;
        return new UserQuery(default) { KnowsUser = knowsUser, Period = hasVersion ? period!.Value : 0, ListVersion = devices ?? 0, Keys = keys ?? [] };
    }

    /// <summary>ParseKeys reads a list of ids with versions.</summary>
    /// <param name="reader">Stands on the list.</param>
    /// <param name="members">Of an element: the device as text, as octets, and the version.</param>
    /// <param name="rules">Which keys there may be.</param>
    internal static List<KnownDeviceKey> ParseKeys(ref StrictJsonReader reader, JsonMembers members, in KeyRules rules)
    {
        var keys = new List<KnownDeviceKey>();
        string path = reader.Path;
        reader.StartArray();
        while (reader.TryNextElement())
        {
            if (keys.Count == ProtocolLimits.MaxKnownKeys)
            {
                throw TooManyKeys(path);
            }
            keys.Add(ParseKey(ref reader, members, rules));
        }
        keys.Sort(static (one, other) => DeviceList.Order.Compare(one.Device, other.Device));
        for (int i = 1; i < keys.Count; i++)
        {
            if (keys[i].Device.Span.SequenceEqual(keys[i - 1].Device.Span))
            {
                throw Malformed("A device stands twice.", path);
            }
        }
        return keys;
    }

    private static KnownDeviceKey ParseKey(ref StrictJsonReader reader, JsonMembers members, in KeyRules rules)
    {
        byte[]? device = null;
        ulong version = 0;
        string path = reader.Path;
        reader.StartObject(members);
        while (reader.TryNextMember(out int member))
        {
            if (member < 2)
            {
                device = ReadId(ref reader, member == 0, device, rules);
                continue;
            }
            version = reader.ReadInteger();
            if (version == 0)
            {
                throw reader.Fail("A version is 1 or more.");
            }
        }
        if (device is null)
        {
            throw Malformed("The key has no device: give 'device' or 'device_b64'.", $"{path}.device");
        }
        return version > 0 ? new KnownDeviceKey(device, version) : throw Malformed("The member is missing.", $"{path}.{members.Name(2)}");
    }

    internal static byte[] ReadId(ref StrictJsonReader reader, bool isText, byte[]? before, in KeyRules rules)
    {
        if (before is not null)
        {
            throw reader.Fail("It stands there already: give it as text or as octets.");
        }
        byte[] id = isText ? reader.ReadText().ToArray() : reader.ReadOctets();
        rules.Check(id, reader.Path);
        return id;
    }

    private static ProblemException BatchLength() => new(new Problem(ProblemTypes.BatchLength, $"A list has 1 to {QueryBatch.MaxCount} queries.", "$"));

    private static ProblemException TooManyKeys(string field) => new(new Problem(ProblemTypes.BatchLength, $"A query names at most {ProtocolLimits.MaxKnownKeys} known keys.", field));

    internal static ProblemException Malformed(string detail, string field) => new(new Problem(ProblemTypes.MalformedRequest, detail, field));
}
