using System.Text.Json;
using Optiks.Native;
using Optiks.Tlog;

namespace Optiks.Protocol;

/// <summary>
/// Holds the facts that a verifier trusts without proof: the log's configuration and key (docs/spec/records.md section 1). It also names
/// the auditors and witnesses on which the verifier relies. A client must get its trust anchor over a channel that the server does not
/// control. Immutable.
/// </summary>
public sealed class TrustAnchor
{
    // The depth of nesting in the JSON: the anchor, its member for auditors, the list in it, and one auditor.
    private const int MaxDepth = 4;

    private static readonly JsonDocumentOptions s_strict = new() { AllowDuplicateProperties = false, MaxDepth = MaxDepth };
    private readonly byte[] _configuration;
    private readonly byte[] _logId;

    private TrustAnchor(byte[] octets, Configuration configuration, VerifierKey logKey, byte[] logId, TrustPolicy policy)
    {
        _configuration = octets;
        Configuration = configuration;
        LogKey = logKey;
        _logId = logId;
        Policy = policy;
    }

    /// <summary>The decoded configuration.</summary>
    public Configuration Configuration { get; }

    /// <summary>The configuration's bytes, from which the log id is computed.</summary>
    public ReadOnlyMemory<byte> ConfigurationOctets => _configuration;

    /// <summary>The key that signs checkpoints; its name is the origin.</summary>
    public VerifierKey LogKey { get; }

    /// <summary>The log id, 32 bytes.</summary>
    public ReadOnlyMemory<byte> LogId => _logId;

    /// <summary>The auditors and witnesses on which this client relies; the policy is empty if there are no such parties.</summary>
    public TrustPolicy Policy { get; }

    /// <summary>
    /// Makes a trust anchor. Checks here and in the native library that the configuration is within its bounds, and throws
    /// <see cref="TrustAnchorException"/> if it is not.
    /// </summary>
    public static TrustAnchor Create(ReadOnlySpan<byte> configuration, VerifierKey logKey)
    {
        ArgumentNullException.ThrowIfNull(logKey);
        byte[] octets = configuration.ToArray();
        Configuration decoded;
        try
        {
            decoded = Configuration.Decode(octets);
        }
        catch (EncodingException e)
        {
            throw new TrustAnchorException($"The configuration is not valid ({e.Message}).", e) { Reason = e.Reason };
        }
        if (logKey.Type != SignatureType.Ed25519 || !string.Equals(logKey.Name, decoded.Origin, StringComparison.Ordinal))
        {
            throw new TrustAnchorException($"The log key must be a vkey of type 1 named {decoded.Origin}, the configuration's origin.");
        }
        Reason reason = LogVerifier.Anchor(octets, logKey.PublicKey, out byte[] logId);
        if (reason != Reason.Valid)
        {
            throw new TrustAnchorException($"The trust anchor is not valid ({reason.Name()}).") { Reason = reason };
        }
        return new TrustAnchor(octets, decoded, logKey, logId, new TrustPolicy(logKey, null, null, []));
    }

    /// <summary>
    /// Parses <c>{"configuration": base64url, "log_key": vkey}</c>, with an optional policy (docs/spec/cosigners.md section 2). Parsing is
    /// strict: throws <see cref="TrustAnchorException"/> if the JSON is invalid.
    /// </summary>
    public static TrustAnchor Parse(ReadOnlyMemory<byte> json)
    {
        string? configuration = null;
        string? logKey = null;
        AuditorPolicy? auditors = null;
        JsonElement? witnesses = null;
        try
        {
            using var document = JsonDocument.Parse(json, s_strict);
            if (document.RootElement.ValueKind != JsonValueKind.Object)
            {
                throw new TrustAnchorException("A trust anchor must be a JSON object with configuration and log_key.");
            }
            foreach (JsonProperty property in document.RootElement.EnumerateObject())
            {
                if (property.NameEquals("configuration"u8))
                {
                    configuration = Text(property);
                }
                else if (property.NameEquals("log_key"u8))
                {
                    logKey = Text(property);
                }
                else if (property.NameEquals("auditors"u8))
                {
                    auditors = TrustPolicy.ParseAuditors(property.Value);
                }
                else if (property.NameEquals("witnesses"u8))
                {
                    witnesses = property.Value.Clone();
                }
                else
                {
                    throw new TrustAnchorException($"A trust anchor must not have a member {property.Name}.");
                }
            }
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            throw new TrustAnchorException("The trust anchor is not the expected JSON.", e);
        }
        if (configuration is null || logKey is null)
        {
            throw new TrustAnchorException("A trust anchor must have the members configuration and log_key.");
        }
        if (!Base64UrlText.TryDecode(configuration, out byte[]? octets))
        {
            throw new TrustAnchorException("The trust anchor's configuration is not base64url without padding.");
        }
        if (!VerifierKey.TryParse(logKey, out VerifierKey? key, out TlogError error))
        {
            throw new TrustAnchorException($"The trust anchor's log_key is not a vkey ({error}).");
        }
        TrustAnchor bare = Create(octets, key);
        (TlogPolicy? policy, IReadOnlyList<string> lines) = witnesses is { } list ? Witnesses(list, key) : (null, []);
        return new TrustAnchor(bare._configuration, bare.Configuration, key, bare._logId, new TrustPolicy(key, auditors, policy, lines));
    }

    // The highest accepted length of a file in bytes. It is enough for a configuration and the lines of a policy.
    private const int MaxFileLength = 16 << 20;

    /// <summary>Reads a trust anchor from a file. If that fails, throws <see cref="TrustAnchorException"/>, which names the file.</summary>
    public static TrustAnchor Load(string path)
    {
        try
        {
            return Parse(InputFile.Read(path, MaxFileLength));
        }
        catch (Exception e) when (e is TrustAnchorException or IOException or UnauthorizedAccessException)
        {
            throw new TrustAnchorException($"{path}: {e.Message}",
                e)
            { Reason = (e as TrustAnchorException)?.Reason ?? Reason.Configuration };
        }
    }

    /// <summary>Returns the JSON of the anchor, which is the content of its file.</summary>
    public byte[] ToJson()
    {
        using var stream = new MemoryStream();
        using (var writer = new Utf8JsonWriter(stream, new JsonWriterOptions { Indented = true, Encoder = AnswerJson.Encoder }))
        {
            writer.WriteStartObject();
            writer.WriteString("configuration"u8, Base64UrlText.Encode(_configuration));
            writer.WriteString("log_key"u8, LogKey.ToString());
            Policy.WriteTo(writer);
            writer.WriteEndObject();
        }
        return [.. stream.ToArray(), (byte)'\n'];
    }

    /// <summary>Writes the anchor to a file atomically, and replaces an existing file.</summary>
    public void Save(string path) => AtomicFile.Write(path, ToJson(), AtomicFile.PublicMode);

    private static string Text(JsonProperty property) => property.Value.ValueKind == JsonValueKind.String
        ? property.Value.GetString()!
        : throw new TrustAnchorException($"The member {property.Name} of a trust anchor must be a string.");

    // `GetString` throws `InvalidOperationException` if the JSON text has a lone surrogate, which is half of a character.
    private static (TlogPolicy Policy, IReadOnlyList<string> Lines) Witnesses(JsonElement json, VerifierKey logKey)
    {
        try
        {
            return TrustPolicy.ParseWitnesses(json, logKey);
        }
        catch (InvalidOperationException e)
        {
            throw new TrustAnchorException("The trust anchor's witnesses are not text.", e);
        }
    }
}
