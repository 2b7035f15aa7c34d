using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.QueryService.Answers;

/// <summary>Describes a kind of query about keys: lookup, history or monitor.</summary>
internal sealed class QueryKind
{
    private QueryKind(string name, string mediaType, Action<Utf8JsonWriter, ReadOnlyMemory<byte>> writeJson)
    {
        Name = name;
        MediaType = mediaType;
        WriteJson = writeJson;
    }

    public static QueryKind Lookup { get; } = new("lookup", MediaTypes.Lookup, AnswerJson.WriteLookupAnswer);

    public static QueryKind History { get; } = new("history", MediaTypes.History, AnswerJson.WriteVersionsAnswer);

    public static QueryKind Monitor { get; } = new("monitor", MediaTypes.Monitor, AnswerJson.WriteVersionsAnswer);

    /// <summary>The name of the kind in metrics.</summary>
    public string Name { get; }

    /// <summary>The media type of the answer's binary form.</summary>
    public string MediaType { get; }

    /// <summary>The function that writes an answer, given in its binary form, as JSON.</summary>
    public Action<Utf8JsonWriter, ReadOnlyMemory<byte>> WriteJson { get; }
}
