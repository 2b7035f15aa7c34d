using System.Text.Json;
using Optiks.Protocol;
using Optiks.Secrets;

namespace Optiks.ApiKeys;

/// <summary>
/// Reads and writes the format of <c>api-keys.json</c>: <c>{"keys": [{"name": text, "sha256": base64url, "scopes": ["update", "history",
/// "lookup", "snapshot"]}]}</c>.
/// </summary>
public static class ApiKeyFile
{
    private const int HashLength = 32;
    private static readonly string[] s_members = ["name", "scopes", "sha256"];
    private static readonly JsonDocumentOptions s_strict = new() { AllowDuplicateProperties = false, MaxDepth = 8 };

    /// <summary>Parses the file's contents strictly. Throws <see cref="SecretsException"/> if they are invalid.</summary>
    public static IReadOnlyList<ApiKeyEntry> Parse(ReadOnlyMemory<byte> json)
    {
        try
        {
            using var document = JsonDocument.Parse(json, s_strict);
            JsonElement root = document.RootElement;
            Require(root.ValueKind == JsonValueKind.Object && root.EnumerateObject().Count() == 1 && root.TryGetProperty("keys"u8, out _),
                "is an object with the single member keys");
            JsonElement keys = root.GetProperty("keys"u8);
            Require(keys.ValueKind == JsonValueKind.Array, "has a list as keys");
            return [.. keys.EnumerateArray().Select(ParseEntry)];
        }
        catch (JsonException e)
        {
            throw new SecretsException($"The API key file is not JSON: {e.Message}", e);
        }
    }

    /// <summary>Returns the contents of a file with these entries.</summary>
    public static byte[] Format(IEnumerable<ApiKeyEntry> entries)
    {
        ArgumentNullException.ThrowIfNull(entries);
        using var stream = new MemoryStream();
        using (var writer = new Utf8JsonWriter(stream, new JsonWriterOptions { Indented = true }))
        {
            writer.WriteStartObject();
            writer.WriteStartArray("keys"u8);
            foreach (ApiKeyEntry entry in entries)
            {
                writer.WriteStartObject();
                writer.WriteString("name"u8, entry.Name);
                writer.WriteString("sha256"u8, Base64UrlText.Encode(entry.Hash.Span));
                writer.WriteStartArray("scopes"u8);
                foreach (string scope in ScopeNames(entry.Scopes))
                {
                    writer.WriteStringValue(scope);
                }
                writer.WriteEndArray();
                writer.WriteEndObject();
            }
            writer.WriteEndArray();
            writer.WriteEndObject();
        }
        return [.. stream.ToArray(), (byte)'\n'];
    }

    /// <summary>Returns the name of a scope, which the file and problem details contain.</summary>
    public static string ScopeName(ApiScopes scope) => scope switch
    {
        ApiScopes.Update => "update",
        ApiScopes.History => "history",
        ApiScopes.Lookup => "lookup",
        ApiScopes.Snapshot => "snapshot",
        ApiScopes.Erase => "erase",
        ApiScopes.Metrics => "metrics",
        _ => throw new ArgumentOutOfRangeException(nameof(scope), scope, "One scope has a name."),
    };

    /// <summary>Returns the names of all set scopes, in the order of <see cref="ApiScopes"/>.</summary>
    public static IEnumerable<string> ScopeNames(ApiScopes scopes) =>
        Enum.GetValues<ApiScopes>().Where(scope => scope != ApiScopes.None && scopes.HasFlag(scope)).Select(ScopeName);

    /// <summary>Returns the scope with this name, or <see cref="ApiScopes.None"/> if no scope has the name.</summary>
    public static ApiScopes ParseScope(string name) =>
        Enum.GetValues<ApiScopes>().FirstOrDefault(scope => scope != ApiScopes.None && ScopeName(scope) == name);

    private static ApiKeyEntry ParseEntry(JsonElement element)
    {
        Require(
            element.ValueKind == JsonValueKind.Object
                && element.EnumerateObject().Select(member => member.Name).Order(StringComparer.Ordinal).SequenceEqual(s_members),
            "has name, sha256 and scopes in each key, and nothing else");
        JsonElement name = element.GetProperty("name"u8);
        JsonElement hash = element.GetProperty("sha256"u8);
        JsonElement scopes = element.GetProperty("scopes"u8);
        Require(name.ValueKind == JsonValueKind.String && name.GetString() is { Length: >= 1 and <= 100 },
            "has names of 1 to 100 characters");
        byte[]? octets = null;
        Require(
            hash.ValueKind == JsonValueKind.String && Base64UrlText.TryDecode(hash.GetString()!, out octets) && octets.Length == HashLength,
            "has 32 bytes in base64url as sha256");
        Require(scopes.ValueKind == JsonValueKind.Array, "has a list as scopes");
        ApiScopes combined = ApiScopes.None;
        foreach (JsonElement scope in scopes.EnumerateArray())
        {
            ApiScopes one = scope.ValueKind == JsonValueKind.String ? ParseScope(scope.GetString()!) : ApiScopes.None;
            Require(one != ApiScopes.None && !combined.HasFlag(one),
                "has the scopes update, history, lookup, snapshot, erase and metrics, each at most once");
            combined |= one;
        }
        return new ApiKeyEntry(name.GetString()!, octets, combined);
    }

    private static void Require([System.Diagnostics.CodeAnalysis.DoesNotReturnIf(false)] bool condition, string rule)
    {
        if (!condition)
        {
            throw new SecretsException($"A valid API key file {rule}.");
        }
    }
}
