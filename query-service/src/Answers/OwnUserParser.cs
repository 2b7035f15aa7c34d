using Optiks.Protocol;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>
/// Parses the bodies of requests that monitor a user, in the binary form or as JSON (docs/spec/rest.md section 4). Throws
/// <see cref="ProblemException"/> for a body that it refuses.
/// </summary>
internal static class OwnUserParser
{
    private const string User = "user";
    private const string Usernames = "usernames";

    private static readonly JsonMembers s_query = new(User, "user_b64", Usernames, "usernames_b64", "period", "from", "keys");
    private static readonly JsonMembers s_key = new("device", "device_b64", "from");

    /// <summary>Parses a body of either media type.</summary>
    /// <param name="mediaType">The body's media type.</param>
    /// <param name="body">The body.</param>
    /// <param name="log">The log's configuration, which says how usernames are normalized.</param>
    /// <param name="caller">The caller's rights.</param>
    public static OwnUserQuery Parse(string mediaType, ReadOnlyMemory<byte> body, Configuration log, CallerRights caller)
    {
        AllowedKeys rules = UserQueryParser.GetRules(log);
        string user = User;
        string names = Usernames;
        UserMonitorQuery query = mediaType == MediaTypes.UserMonitorQuery
            ? ParseBinary(body, rules)
            : ParseJson(body.Span, rules, ref user, ref names);
        if (!caller.IsOwnUser(query.User.Span))
        {
            throw new ProblemException(CallerRights.NotOwnUser($"$.{user}"));
        }
        if (log.ReusesUsernames && query.Usernames.Count > 0)
        {
            throw UserQueryParser.Malformed("This log allows usernames to be reassigned: look up the usernames instead.", $"$.{names}");
        }
        // The service normalizes the names by the log's rule, because the client's verifier uses the normalized names.
        query =
            query with { Usernames = [.. query.Usernames.Select((name, i) => UserQueryParser.Normalize(log, name, $"$.{names}[{i}]"))] };
        return new OwnUserQuery(query.Encode(), caller.IsToken, user, names);
    }

    private static UserMonitorQuery ParseBinary(ReadOnlyMemory<byte> body, in AllowedKeys rules)
    {
        UserMonitorQuery query;
        try
        {
            query = UserMonitorQuery.Decode(body);
        }
        catch (EncodingException e)
        {
            throw new ProblemException(
                new Problem(ProblemTypes.MalformedRequest, $"The body is not a query about a user: {e.Message}."), e);
        }
        rules.Check(query.User.Span, $"$.{User}");
        if (query.Usernames.Count > ProtocolLimits.MaxOwnNames)
        {
            throw TooManyNames($"$.{Usernames}");
        }
        if (query.From == 0)
        {
            throw UserQueryParser.Malformed("The first version must be 1 or more.", "$.from");
        }
        UserQueryParser.CheckKeys(query.Keys, "$.keys");
        foreach (KnownDeviceKey key in query.Keys)
        {
            rules.Check(key.Device.Span, "$.keys");
        }
        return query.Period == 0 || KnowsVersion(query)
            ? query
            : throw UserQueryParser.Malformed("The period must be 0 without a known version.", "$.period");
    }

    private static UserMonitorQuery ParseJson(ReadOnlySpan<byte> body, in AllowedKeys rules, ref string userMember, ref string namesMember)
    {
        var reader = new StrictJsonReader(body);
        byte[]? user = null;
        List<ReadOnlyMemory<byte>>? names = null;
        ulong period = 0;
        ulong from = 1;
        List<KnownDeviceKey> keys = [];
        reader.StartObject(s_query);
        while (reader.TryNextMember(out int member))
        {
            switch (member)
            {
                case 0 or 1:
                    user = UserQueryParser.ReadId(ref reader, member == 0, user, rules);
                    userMember = s_query.Name(member);
                    break;
                case 2 or 3:
                    names = names is null
                        ? ReadNames(ref reader, member == 2)
                        : throw reader.Fail("The usernames are given twice: give them either as text or as base64url.");
                    namesMember = s_query.Name(member);
                    break;
                case 4:
                    period = reader.ReadInteger();
                    break;
                case 5:
                    from = reader.ReadInteger();
                    if (from == 0)
                    {
                        throw reader.Fail("A version must be 1 or more.");
                    }
                    break;
                default:
                    keys = UserQueryParser.ParseKeys(ref reader, s_key, rules);
                    break;
            }
        }
        reader.End();
        if (user is null)
        {
            throw UserQueryParser.Malformed("The query has no user: give 'user' or 'user_b64'.", $"$.{User}");
        }
        var query = new UserMonitorQuery(user) { Usernames = names ?? [], Period = period, From = from, Keys = keys };
        // If the client knows no version, the period has no meaning, and this code sets it to 0.
        return KnowsVersion(query) ? query : query with { Period = 0 };
    }

    private static List<ReadOnlyMemory<byte>> ReadNames(ref StrictJsonReader reader, bool isText)
    {
        var names = new List<ReadOnlyMemory<byte>>();
        string path = reader.Path;
        reader.StartArray();
        while (reader.TryNextElement())
        {
            if (names.Count == ProtocolLimits.MaxOwnNames)
            {
                throw TooManyNames(path);
            }
            names.Add(isText ? reader.ReadText().ToArray() : reader.ReadOctets());
        }
        return names;
    }

    // Returns whether the client knows a version of anything in the query. If it knows none, the query must not name a period.
    private static bool KnowsVersion(UserMonitorQuery query) => query.From > 1 || query.Keys.Any(key => key.Version > 1);

    private static ProblemException TooManyNames(string field) =>
        new(new Problem(ProblemTypes.BatchLength, $"A query may ask for at most {ProtocolLimits.MaxOwnNames} names.", field));
}
