using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Optiks.Pkcs11;

/// <summary>
/// Names a private or secret key in a token (RFC 7512): <c>pkcs11:token=...;object=...?module-path=...&amp;pin-source=...</c>. Immutable.
/// The URI may be logged, because it contains not the PIN but only the path of the PIN's file.
/// </summary>
public sealed class Pkcs11Uri
{
    /// <summary>The value of the URI's attribute "type" for a signing key.</summary>
    public const string PrivateKey = "private";

    /// <summary>The value of the URI's attribute "type" for a key that wraps other keys.</summary>
    public const string SecretKey = "secret-key";

    private const string Scheme = "pkcs11:";
    private const string FileScheme = "file:";

    // The names of the attributes in the URI's path, which identify a token and an object in the token.
    private static readonly HashSet<string> s_path = ["token", "serial", "manufacturer", "model", "object", "id", "type"];
    private static readonly HashSet<string> s_query = ["module-path", "pin-source"];

    private readonly string _text;
    private readonly Dictionary<string, byte[]> _values;

    private Pkcs11Uri(string text, Dictionary<string, byte[]> values)
    {
        _text = text;
        _values = values;
    }

    /// <summary>The path of the PKCS#11 library.</summary>
    public string Module => Text("module-path")!;

    /// <summary>The path of the file with the token's user PIN.</summary>
    public string PinFile => Text("pin-source") is { } source && source.StartsWith(FileScheme, StringComparison.Ordinal)
        ? StripAuthority(source[FileScheme.Length..])
        : Text("pin-source")!;

    /// <summary>The token's label; null if the URI does not name it.</summary>
    public string? Token => Text("token");

    /// <summary>The token's serial number; null if the URI does not name it.</summary>
    public string? Serial => Text("serial");

    /// <summary>The token's manufacturer; null if the URI does not name it.</summary>
    public string? Manufacturer => Text("manufacturer");

    /// <summary>The token's model; null if the URI does not name it.</summary>
    public string? Model => Text("model");

    /// <summary>The key's label; null if the URI does not name it.</summary>
    public string? Label => Text("object");

    /// <summary>The key's id (CKA_ID); null if the URI does not name it.</summary>
    public ReadOnlyMemory<byte>? Id
    {
        get
        {
            // This is an `if` statement, because a conditional expression would convert null into an empty id.
            if (_values.TryGetValue("id", out byte[]? id))
            {
                return id;
            }
            return null;
        }
    }

    /// <summary>Returns whether the URI may name a key of this type, because it names this type or no type.</summary>
    public bool IsFor(string type) => Text("type") is not { } named || named == type;

    /// <summary>Returns whether a text is probably meant to be a PKCS#11 URI.</summary>
    public static bool IsOne(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        return text.StartsWith(Scheme, StringComparison.Ordinal);
    }

    /// <summary>
    /// Parses a URI. If the text cannot be used, sets <paramref name="problem"/> to a sentence that says why and does not quote the text.
    /// </summary>
    public static bool TryParse(string text, [NotNullWhen(true)] out Pkcs11Uri? uri, [NotNullWhen(false)] out string? problem)
    {
        ArgumentNullException.ThrowIfNull(text);
        uri = null;
        var values = new Dictionary<string, byte[]>(StringComparer.Ordinal);
        if (!IsOne(text))
        {
            problem = $"It does not begin with '{Scheme}'.";
            return false;
        }
        string[] parts = text[Scheme.Length..].Split('?');
        problem = parts.Length > 2 ? "It has two question marks."
            : TakeAll(parts[0], ';', s_path, values) ?? (parts.Length == 2 ? TakeAll(parts[1], '&', s_query, values) : null);
        problem ??= Missing(values);
        if (problem is not null)
        {
            return false;
        }
        uri = new Pkcs11Uri(text, values);
        return true;
    }

    /// <inheritdoc/>
    public override string ToString() => _text;

    private static string? Missing(Dictionary<string, byte[]> values)
    {
        if (values.TryGetValue("type", out byte[]? type) && Encoding.UTF8.GetString(type) is not (PrivateKey or SecretKey))
        {
            return $"Its type is neither '{PrivateKey}' nor '{SecretKey}'.";
        }
        if (!values.ContainsKey("object") && !values.ContainsKey("id"))
        {
            return "It names no key: give object=LABEL or id=ID.";
        }
        if (!values.ContainsKey("token") && !values.ContainsKey("serial"))
        {
            return "It names no token: give token=LABEL or serial=NUMBER.";
        }
        return !values.ContainsKey("module-path") ? "It names no library: give ?module-path=FILE."
            : !values.ContainsKey("pin-source") ? "It does not say where the PIN is: give &pin-source=FILE."
            : !Path.IsPathRooted(Encoding.UTF8.GetString(values["module-path"])) ? "Its module-path is not absolute." : null;
    }

    private static string? TakeAll(string text, char separator, HashSet<string> known, Dictionary<string, byte[]> values)
    {
        foreach (string attribute in text.Split(separator, StringSplitOptions.RemoveEmptyEntries))
        {
            int equals = attribute.IndexOf('=', StringComparison.Ordinal);
            string name = equals < 0 ? attribute : attribute[..equals];
            if (name == "pin-value")
            {
                return "It contains a PIN, which others may read: put the PIN into a file of mode 0600, name that file with pin-source, and change the PIN if someone may have read it.";
            }
            if (!known.Contains(name))
            {
                return $"It has an unknown attribute, or one on the wrong side of '?': before '?' it may have {string.Join(", ", s_path)}, after it {string.Join(", ", s_query)}.";
            }
            if (equals < 0 || !TryDecode(attribute[(equals + 1)..], out byte[]? value) || value.Length == 0)
            {
                return $"Its {name} has no value, or one that is not percent-encoded.";
            }
            if (!values.TryAdd(name, value))
            {
                return $"It has {name} twice.";
            }
        }
        return null;
    }

    private static bool TryDecode(string text, [NotNullWhen(true)] out byte[]? octets)
    {
        octets = null;
        var decoded = new List<byte>();
        byte[] encoded = Encoding.UTF8.GetBytes(text);
        for (int i = 0; i < encoded.Length; i++)
        {
            if (encoded[i] != '%')
            {
                decoded.Add(encoded[i]);
                continue;
            }
            if (i + 2 >= encoded.Length || !char.IsAsciiHexDigit((char)encoded[i + 1]) || !char.IsAsciiHexDigit((char)encoded[i + 2]))
            {
                return false;
            }
            decoded.AddRange(Convert.FromHexString(Encoding.ASCII.GetString(encoded, i + 1, 2)));
            i += 2;
        }
        octets = [.. decoded];
        return true;
    }

    // Returns the path of a file URI, which may begin with "file:/" or "file:///".
    private static string StripAuthority(string rest) => rest.StartsWith("///", StringComparison.Ordinal) ? rest[2..] : rest;

    private string? Text(string name) => _values.TryGetValue(name, out byte[]? value) ? Encoding.UTF8.GetString(value) : null;
}
