using Optiks.Native;
using Optiks.Protocol;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>
/// Parses the bodies of requests about users, in the binary form or as JSON (docs/spec/rest.md section 4). Throws
/// <see cref="ProblemException"/> for a body that it refuses.
/// </summary>
internal static class UserQueryParser
{
    private const int PrefixLength = 3;

    private static readonly JsonMembers s_query = new("username", "username_b64", "device", "device_b64", "known");
    private static readonly JsonMembers s_known = new("user", "period", "devices", "keys");
    private static readonly JsonMembers s_key = new("device", "device_b64", "version");

    /// <summary>Parses a body of either media type. The caller must dispose of the result.</summary>
    /// <param name="mediaType">The media type of the body.</param>
    /// <param name="body">The body of the request.</param>
    /// <param name="log">The log's configuration, which says how usernames are normalized (docs/spec/usernames.md).</param>
    /// <param name="lease">The lease that counts the memory of the result.</param>
    public static UserQueries Parse(string mediaType, ReadOnlyMemory<byte> body, Configuration log, AnswerLease lease)
    {
        bool isBinary = mediaType == MediaTypes.UserQuery;
        bool isList = true;
        List<UserQuery> queries = isBinary ? ParseBinary(body, log) : ParseJson(body.Span, log, out isList);
        ReadOnlySpan<byte> asked = isBinary && log.UsernameForm == UsernameForm.Octets ? body.Span : UserQueryList.Encode(queries);
        return new UserQueries(asked, queries.Count, isBinary, isList, lease);
    }

    /// <summary>Returns a username normalized by the log's rule; returns it unchanged if the log has no such rule.</summary>
    internal static ReadOnlyMemory<byte> Normalize(Configuration log, ReadOnlyMemory<byte> name, string field)
    {
        if (log.UsernameForm == UsernameForm.Octets)
        {
            GetRules(log).Check(name.Span, field);
            return name;
        }
        UsernameFault fault = Usernames.Prepare(log, name.Span, out byte[] form);
        return fault == UsernameFault.Valid
            ? form
            : throw new ProblemException(new Problem(ProblemTypes.UsernameForm, fault.Sentence(), field));
    }

    /// <summary>Returns the rules for the keys of a log, for requests in which any caller may ask about any key.</summary>
    internal static AllowedKeys GetRules(Configuration log) => new(log.MaxKeyLength, Owner: null);

    private static List<UserQuery> ParseBinary(ReadOnlyMemory<byte> body, Configuration log)
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
            throw new ProblemException(
                new Problem(ProblemTypes.MalformedRequest, $"The body is not a list of queries about users: {e.Message}."), e);
        }
        if (queries.Count > QueryBatch.MaxCount)
        {
            throw BatchLength();
        }
        AllowedKeys rules = GetRules(log);
        var taken = new List<UserQuery>(queries.Count);
        for (int i = 0; i < queries.Count; i++)
        {
            UserQuery query = queries[i] with { Username = Normalize(log, queries[i].Username, $"$[{i}].username") };
            if (!query.Device.IsEmpty)
            {
                rules.Check(query.Device.Span, $"$[{i}].device");
            }
            CheckKeys(query.Keys, $"$[{i}].keys");
            if (query.Period != 0 && query.ListVersion == 0 && query.Keys.Count == 0)
            {
                throw Malformed("The period must be 0 without a known version.", $"$[{i}].period");
            }
            taken.Add(query);
        }
        return taken;
    }

    /// <summary>
    /// Checks the known device keys in a binary body. Throws <see cref="ProblemException"/> for a key that is not allowed.
    /// </summary>
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
                throw Malformed("The device ids must be strictly increasing, and their versions 1 or more.", field);
            }
        }
    }

    private static List<UserQuery> ParseJson(ReadOnlySpan<byte> body, Configuration log, out bool isList)
    {
        var reader = new StrictJsonReader(body);
        var queries = new List<UserQuery>();
        isList = reader.IsArray;
        if (!isList)
        {
            queries.Add(ParseOne(ref reader, log));
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
                queries.Add(ParseOne(ref reader, log));
            }
            if (queries.Count == 0)
            {
                throw BatchLength();
            }
        }
        reader.End();
        return queries;
    }

    private static UserQuery ParseOne(ref StrictJsonReader reader, Configuration log)
    {
        AllowedKeys rules = GetRules(log);
        ReadOnlyMemory<byte>? username = null;
        byte[]? device = null;
        UserQuery known = new(default);
        string path = reader.Path;
        reader.StartObject(s_query);
        while (reader.TryNextMember(out int member))
        {
            switch (member)
            {
                case 0 or 1:
                    username = Normalize(log, ReadOctets(ref reader, member == 0, username is not null), reader.Path);
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
        return known with { Username = username.Value, Device = device };
    }

    private static UserQuery ParseKnown(ref StrictJsonReader reader, in AllowedKeys rules)
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
            throw Malformed(period is null
                ? "The member is missing: it says which period the versions belong to."
                : "The member must not be given without a known version.", $"{path}.period");
        }
        // If the client knows no version, the period has no meaning.
        bool hasVersion = devices > 0 || keys?.Count > 0;
        return new UserQuery(default)
        {
            KnowsUser = knowsUser,
            Period = hasVersion ? period!.Value : 0,
            ListVersion = devices ?? 0,
            Keys = keys ?? [],
        };
    }

    /// <summary>Parses a list of ids with versions.</summary>
    /// <param name="reader">The reader, positioned at the list.</param>
    /// <param name="members">The names of an element's members: the device as text, the device as bytes, and the version.</param>
    /// <param name="rules">The keys that are allowed.</param>
    internal static List<KnownDeviceKey> ParseKeys(ref StrictJsonReader reader, JsonMembers members, in AllowedKeys rules)
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
                throw Malformed("A device is given twice.", path);
            }
        }
        return keys;
    }

    private static KnownDeviceKey ParseKey(ref StrictJsonReader reader, JsonMembers members, in AllowedKeys rules)
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
                throw reader.Fail("A version must be 1 or more.");
            }
        }
        if (device is null)
        {
            throw Malformed("The key has no device: give 'device' or 'device_b64'.", $"{path}.device");
        }
        return version > 0 ? new KnownDeviceKey(device, version) : throw Malformed("The member is missing.", $"{path}.{members.Name(2)}");
    }

    internal static byte[] ReadId(ref StrictJsonReader reader, bool isText, byte[]? before, in AllowedKeys rules)
    {
        byte[] id = ReadOctets(ref reader, isText, before is not null);
        rules.Check(id, reader.Path);
        return id;
    }

    private static byte[] ReadOctets(ref StrictJsonReader reader, bool isText, bool isThere) =>
        isThere
            ? throw reader.Fail("It is given twice: give it either as text or as base64url.")
            : isText ? reader.ReadText().ToArray() : reader.ReadOctets();

    private static ProblemException BatchLength() =>
        new(new Problem(ProblemTypes.BatchLength, $"A list must have 1 to {QueryBatch.MaxCount} queries.", "$"));

    private static ProblemException TooManyKeys(string field) =>
        new(new Problem(ProblemTypes.BatchLength, $"A query may name at most {ProtocolLimits.MaxKnownKeys} known keys.", field));

    internal static ProblemException Malformed(string detail, string field) =>
        new(new Problem(ProblemTypes.MalformedRequest, detail, field));
}
