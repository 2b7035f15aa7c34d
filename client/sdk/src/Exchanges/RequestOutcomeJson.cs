using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>RequestOutcomeJson reads the state of a request (docs/spec/rest.md section 5). The server's word: only a lookup proves anything.</summary>
internal static class RequestOutcomeJson
{
    // A reason is a name of the specification: what is none reaches no terminal.
    private const int MaxReasonLength = 64;

    public static RequestOutcome Parse(byte[] answer, Guid requestId, Uri server) => ReadStatus(answer, server, "an update", (status, root) => status switch
    {
        "pending" => new RequestOutcome { RequestId = requestId, Status = UpdateStatus.Pending },
        "published" => new RequestOutcome
        {
            RequestId = requestId,
            Status = UpdateStatus.Published,
            Epoch = root.GetProperty("epoch").GetUInt64(),
            Items = root.GetProperty("items").EnumerateArray().Select(Item).ToArray() is { Length: > 0 } items ? items : throw new FormatException("items"),
        },
        "refused" => new RequestOutcome
        {
            RequestId = requestId,
            Status = UpdateStatus.Refused,
            RefusedBecause = ReasonName(root.GetProperty("reason").GetString()),
            RefusedItem = root.TryGetProperty("item", out JsonElement item) ? item.GetInt32() : null,
            Current = Current(root),
        },
        _ => throw new FormatException("unknown status"),
    });

    /// <summary>ReadStatus reads what became of a request, by its status. <see cref="OptiksServerException"/> where <paramref name="read"/> finds it to be none.</summary>
    /// <param name="answer">JSON of the server.</param>
    /// <param name="server">Who answered.</param>
    /// <param name="what">The request, for the error.</param>
    /// <param name="read">Of the status and the whole document; throws what reading JSON throws, or <see cref="FormatException"/>.</param>
    internal static T ReadStatus<T>(byte[] answer, Uri server, string what, Func<string?, JsonElement, T> read)
    {
        try
        {
            using var document = JsonDocument.Parse(answer);
            return read(document.RootElement.GetProperty("status").GetString(), document.RootElement);
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException or KeyNotFoundException or FormatException)
        {
            throw new OptiksServerException(ServerFailure.Unusable, server, $"{server.Authority} answered with something that is not the status of {what}.", e);
        }
    }

    // A key that was erased since, or that is not known to be the token's user's, is not named.
    private static PublishedKey Item(JsonElement item)
    {
        byte[]? key = [];
        return !item.TryGetProperty("key_b64", out JsonElement text) || Base64UrlText.TryDecode(text.GetString() ?? "", out key)
            ? new PublishedKey(key, Number(item), Structure(item), item.TryGetProperty("item", out JsonElement number) ? number.GetInt32() : 0)
            : throw new FormatException("key_b64");
    }

    /// <summary>Structure of an item: servers that know keys alone name none.</summary>
    internal static StructureId Structure(JsonElement item) =>
        !item.TryGetProperty("structure", out JsonElement name) ? StructureId.Keys
        : Structures.Names.ToList().IndexOf(name.GetString() ?? "") is >= 0 and var index ? (StructureId)(index + 1)
        : throw new FormatException("structure");

    /// <summary>Current version that a refusal names, if it does.</summary>
    internal static KeyVersionNumber? Current(JsonElement root) => root.TryGetProperty("current", out JsonElement current) ? Number(current) : null;

    internal static KeyVersionNumber Number(JsonElement element) =>
        new(element.GetProperty("period").GetUInt64(), element.GetProperty("version").GetUInt64());

    /// <summary>ReasonName is a name that may reach a terminal, or <see cref="FormatException"/>.</summary>
    internal static string ReasonName(string? text) =>
        text is { Length: >= 1 and <= MaxReasonLength } && text.All(character => char.IsAsciiLetterLower(character) || character == '-') ? text : throw new FormatException("reason");
}
