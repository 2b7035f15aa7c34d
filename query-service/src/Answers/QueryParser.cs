using Optiks.Protocol;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>
/// Parses the bodies of lookup, history and monitor requests, in the binary form or as JSON (docs/spec/rest.md section 4). Throws
/// <see cref="ProblemException"/> for a body that it refuses.
/// </summary>
internal static class QueryParser
{
    private const int Key = 0;
    private const int KeyOctets = 1;
    private const int PrefixLength = 3;

    private static readonly JsonMembers s_lookup = new("key", "key_b64", "known");
    private static readonly JsonMembers s_known = new("period", "version");
    private static readonly JsonMembers s_versions = new("key", "key_b64", "from");

    /// <summary>Parses a body of either media type. The caller must dispose of the result.</summary>
    public static QueryBatch Parse(string mediaType, ReadOnlyMemory<byte> body, QueryKind kind, in AllowedKeys rules)
    {
        var batch = new QueryBatch();
        try
        {
            if (mediaType == MediaTypes.Query)
            {
                ParseBinary(body, kind, rules, batch);
            }
            else
            {
                ParseJson(body.Span, kind, rules, batch);
            }
            return batch;
        }
        catch
        {
            batch.Dispose();
            throw;
        }
    }

    /// <summary>Creates a batch with one key and no known version.</summary>
    public static QueryBatch One(ReadOnlySpan<byte> key, in AllowedKeys rules)
    {
        rules.Check(key, "?key");
        var batch = new QueryBatch();
        batch.Add(key, 0, 0);
        return batch;
    }

    private static void ParseBinary(ReadOnlyMemory<byte> body, QueryKind kind, in AllowedKeys rules, QueryBatch batch)
    {
        batch.IsBinary = true;
        if (body.Span.SequenceEqual(stackalloc byte[PrefixLength]))
        {
            throw BatchLength();
        }
        IReadOnlyList<Query> queries;
        try
        {
            queries = QueryList.Decode(body);
        }
        catch (EncodingException e)
        {
            throw new ProblemException(new Problem(ProblemTypes.MalformedRequest, $"The body is not a query list: {e.Message}."), e);
        }
        if (queries.Count > QueryBatch.MaxCount)
        {
            throw BatchLength();
        }
        for (int i = 0; i < queries.Count; i++)
        {
            (ReadOnlyMemory<byte> key, ulong period, ulong version) = queries[i];
            rules.Check(key.Span, $"$[{i}].key");
            if (kind != QueryKind.Lookup && period != 0)
            {
                throw Malformed("The period must be 0 here.", $"$[{i}].period");
            }
            if (kind != QueryKind.Lookup && version == 0)
            {
                throw Malformed("The first version to list must be 1 or more.", $"$[{i}].version");
            }
            batch.Add(key.Span, period, version);
        }
    }

    private static void ParseJson(ReadOnlySpan<byte> body, QueryKind kind, in AllowedKeys rules, QueryBatch batch)
    {
        var reader = new StrictJsonReader(body);
        batch.IsList = reader.IsArray;
        if (!batch.IsList)
        {
            ParseOne(ref reader, kind, rules, batch);
        }
        else
        {
            reader.StartArray();
            while (reader.TryNextElement())
            {
                if (batch.Keys.Count == QueryBatch.MaxCount)
                {
                    throw BatchLength();
                }
                ParseOne(ref reader, kind, rules, batch);
            }
            if (batch.Keys.Count == 0)
            {
                throw BatchLength();
            }
        }
        reader.End();
    }

    private static void ParseOne(ref StrictJsonReader reader, QueryKind kind, in AllowedKeys rules, QueryBatch batch)
    {
        ReadOnlySpan<byte> key = default;
        bool hasKey = false;
        ulong period = 0;
        ulong version = kind == QueryKind.Lookup ? 0UL : 1;
        string path = reader.Path;
        reader.StartObject(kind == QueryKind.Lookup ? s_lookup : s_versions);
        while (reader.TryNextMember(out int member))
        {
            if (member is Key or KeyOctets)
            {
                if (hasKey)
                {
                    throw reader.Fail("The key is given twice: give either 'key' or 'key_b64'.");
                }
                key = member == Key ? reader.ReadText() : reader.ReadOctets();
                hasKey = true;
                rules.Check(key, reader.Path);
            }
            else if (kind == QueryKind.Lookup)
            {
                ParseKnown(ref reader, out period, out version);
            }
            else
            {
                version = reader.ReadInteger();
                if (version == 0)
                {
                    throw reader.Fail("The first version to list must be 1 or more.");
                }
            }
        }
        if (!hasKey)
        {
            throw Malformed("The query has no key: give 'key' or 'key_b64'.", $"{path}.key");
        }
        batch.Add(key, period, version);
    }

    private static void ParseKnown(ref StrictJsonReader reader, out ulong period, out ulong version)
    {
        ulong? givenPeriod = null;
        ulong? givenVersion = null;
        string path = reader.Path;
        reader.StartObject(s_known);
        while (reader.TryNextMember(out int member))
        {
            if (member == 0)
            {
                givenPeriod = reader.ReadInteger();
            }
            else
            {
                givenVersion = reader.ReadInteger();
            }
        }
        period = givenPeriod ?? throw Malformed("The member is missing.", $"{path}.period");
        version = givenVersion ?? throw Malformed("The member is missing.", $"{path}.version");
    }

    private static ProblemException BatchLength() =>
        new(new Problem(ProblemTypes.BatchLength, $"A list must have 1 to {QueryBatch.MaxCount} queries.", "$"));

    private static ProblemException Malformed(string detail, string field) =>
        new(new Problem(ProblemTypes.MalformedRequest, detail, field));
}
