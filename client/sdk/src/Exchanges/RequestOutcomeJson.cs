using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Reads the state of a request (docs/spec/rest.md section 5). The status is only the server's statement; a lookup proves what the log
/// shows.
/// </summary>
internal static class RequestOutcomeJson
{
    // The most characters of a refusal's reason. The reason must have the form of the specification's reason names, because it may be shown
    // on a terminal, where other text could do harm.
    private const int MaxReasonLength = 64;

    public static RequestOutcome Parse(byte[] answer, Guid requestId, Uri server) =>
        ReadStatus(answer, server, "an update", (status, root) => status switch
    {
        "pending" => new RequestOutcome { RequestId = requestId, Status = UpdateStatus.Pending },
        "published" => new RequestOutcome
        {
            RequestId = requestId,
            Status = UpdateStatus.Published,
            Kind = Kind(root),
            Epoch = root.GetProperty("epoch").GetUInt64(),
            Items = root.GetProperty("items").EnumerateArray().Select(Item).ToArray() is { Length: > 0 } items
                ? items
                : throw new FormatException("items"),
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

    /// <summary>
    /// Reads an answer about the outcome of a request. Throws <see cref="OptiksServerException"/> if the function <paramref name="read"/>
    /// refuses the document.
    /// </summary>
    /// <param name="answer">The server's answer in JSON.</param>
    /// <param name="server">The server that answered.</param>
    /// <param name="what">Words for the kind of request, used in the error message.</param>
    /// <param name="read">Reads the status and the whole document; throws the exceptions of reading JSON, or
    /// <see cref="FormatException"/>.</param>
    internal static T ReadStatus<T>(byte[] answer, Uri server, string what, Func<string?, JsonElement, T> read)
    {
        try
        {
            using var document = StrictJson.Parse(answer);
            return read(document.RootElement.GetProperty("status").GetString(), document.RootElement);
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException or KeyNotFoundException or FormatException)
        {
            throw new OptiksServerException(
                ServerFailure.Unusable, server, $"{server.Authority} answered with something that is not the status of {what}.", e);
        }
    }

    // The key is empty if the server does not name it. The server does not name a key that it has erased since. It also does not name a key
    // if it cannot tell that the token's user owns the key.
    private static PublishedKey Item(JsonElement item)
    {
        byte[]? key = [];
        return !item.TryGetProperty("key_b64", out JsonElement text) || Base64UrlText.TryDecode(text.GetString() ?? "", out key)
            ? new PublishedKey(key, Number(item), Structure(item),
                item.TryGetProperty("item", out JsonElement number) ? number.GetInt32() : 0)
            : throw new FormatException("key_b64");
    }

    // The items do not tell the kind: a change of a user may publish nothing but keys of devices, as a request about keys does. The path of
    // the link to the proof tells it (docs/spec/rest.md section 5). The kind is only a hint for people, so an unknown path has no kind.
    private static UpdateKind? Kind(JsonElement root) =>
        !root.TryGetProperty("proof", out JsonElement proof) ? null
        : proof.GetProperty("href").GetString()?.Split('?')[0] switch
        {
            "/v1/lookup" => UpdateKind.Keys,
            "/v1/users/lookup" => UpdateKind.User,
            _ => null,
        };

    /// <summary>
    /// Returns the structure of an item; a server that knows only keys leaves the structure out, so the default is <c>keys</c>.
    /// </summary>
    internal static StructureId Structure(JsonElement item) =>
        !item.TryGetProperty("structure", out JsonElement name) ? StructureId.Keys
        : Structures.Names.ToList().IndexOf(name.GetString() ?? "") is >= 0 and var index ? (StructureId)(index + 1)
        : throw new FormatException("structure");

    /// <summary>Returns the current version that a refusal names; null if the refusal names no version.</summary>
    internal static KeyVersionNumber? Current(JsonElement root) =>
        root.TryGetProperty("current", out JsonElement current) ? Number(current) : null;

    internal static KeyVersionNumber Number(JsonElement element) =>
        new(element.GetProperty("period").GetUInt64(), element.GetProperty("version").GetUInt64());

    /// <summary>
    /// Returns the text if it has the form of a reason name, so that it is safe to show on a terminal; otherwise throws
    /// <see cref="FormatException"/>.
    /// </summary>
    internal static string ReasonName(string? text) =>
        text is { Length: >= 1 and <= MaxReasonLength } && text.All(character => char.IsAsciiLetterLower(character) || character == '-')
            ? text
            : throw new FormatException("reason");
}
