using System.Text.Json;
using System.Text.Unicode;
using Optiks.Protocol;
using Optiks.Tokens;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Parses a token strictly, before the service trusts any part of it. The parser refuses tokens that different libraries would read
/// differently, such as tokens with a duplicate member.
/// </summary>
/// <param name="KeyId">The header's <c>kid</c>.</param>
/// <param name="Algorithm">The header's <c>alg</c>, which is one of the accepted algorithms.</param>
/// <param name="Payload">The JSON object with the token's claims.</param>
internal sealed record TokenForm(string KeyId, string Algorithm, JsonElement Payload)
{
    private const int Parts = 3;
    private static readonly JsonDocumentOptions s_strict = new() { AllowDuplicateProperties = false, MaxDepth = 8 };

    /// <summary>Parses a token. If the token is refused, returns null and sets the reason.</summary>
    public static TokenForm? Read(string token, out TokenRefusal? refusal)
    {
        refusal = TokenRefusals.Malformed;
        if (token.Length > ProtocolLimits.MaxToken)
        {
            return null;
        }
        string[] parts = token.Split('.', Parts + 1);
        if (parts.Length != Parts || parts[2].Length == 0 || !Base64UrlText.TryDecode(parts[2], out _)
            || ReadObject(parts[0]) is not { } header || ReadObject(parts[1]) is not { } payload)
        {
            return null;
        }
        refusal = CheckHeader(header, out string algorithm, out string keyId);
        return refusal is null ? new TokenForm(keyId, algorithm, payload) : null;
    }

    /// <summary>Returns the text of a JSON string; null if the value is not a string or has lone surrogates.</summary>
    public static string? FindText(JsonElement value)
    {
        try
        {
            return value.ValueKind == JsonValueKind.String ? value.GetString() : null;
        }
        catch (InvalidOperationException)
        {
            return null;
        }
    }

    private static JsonElement? ReadObject(string part)
    {
        if (!Base64UrlText.TryDecode(part, out byte[]? octets) || !Utf8.IsValid(octets))
        {
            return null;
        }
        try
        {
            using var document = JsonDocument.Parse(octets, s_strict);
            return document.RootElement.ValueKind == JsonValueKind.Object ? document.RootElement.Clone() : null;
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            // `System.Text.Json` throws `InvalidOperationException` if the name of a member has lone surrogates.
            return null;
        }
    }

    private static TokenRefusal? CheckHeader(JsonElement header, out string algorithm, out string keyId)
    {
        (algorithm, keyId) = ("", "");
        bool hasAlgorithm = false;
        foreach (JsonProperty member in header.EnumerateObject())
        {
            string? text = FindText(member.Value);
            switch (member.Name)
            {
                case "alg":
                    (algorithm, hasAlgorithm) = (text ?? "", true);
                    break;
                case "kid" when text is not null && TokenNames.IsKeyId(text):
                    keyId = text;
                    break;
                case "typ" when text is not null && TokenNames.Types.Contains(text, StringComparer.OrdinalIgnoreCase):
                    break;
                default:
                    return TokenRefusals.Header;
            }
        }
        return keyId.Length == 0 ? TokenRefusals.Header
            : !hasAlgorithm || algorithm is not (TokenNames.EdDsa or TokenNames.Es256) ? TokenRefusals.Algorithm
            : null;
    }
}
