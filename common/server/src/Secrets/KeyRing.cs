using System.Security.Cryptography;
using System.Text;

namespace Optiks.Secrets;

/// <summary>
/// Opens a program's key-encryption keys: one key, or an old and a new one during a rotation (docs/operations/keys.md). The ring is a text
/// from one source: a variable, a credential or a file. Newlines or blanks separate the keys in the text. Each key is 43 characters of
/// base64url or the <c>pkcs11:</c> URI of an AES key in a token. Each use of the ring reads the source and opens the keys anew. Therefore
/// no key stays in memory, and a changed file takes effect without a restart. Any thread may use a ring.
/// </summary>
public sealed class KeyRing
{
    /// <summary>The environment variable that may hold the text of the ring.</summary>
    public const string Variable = "OPTIKS_KEK";

    /// <summary>The credential that may hold the text of the ring (<see cref="ServiceCredential"/>).</summary>
    public const string Credential = "optiks.kek";

    /// <summary>The setting that may name a file with the text of the ring.</summary>
    public const string Setting = "Optiks:Kek:File";

    /// <summary>The highest number of keys in a ring.</summary>
    public const int MaxKeys = 8;

    private readonly KeySource _source;
    private readonly Func<string, IKeyCipher>? _openToken;

    private KeyRing(KeySource source, Func<string, IKeyCipher>? openToken)
    {
        _source = source;
        _openToken = openToken;
    }

    /// <summary>
    /// The path of the ring's file, which commands may change. It is null if the source is a variable or a credential, which only the
    /// operator can change.
    /// </summary>
    public string? File => _source.IsFile ? _source.Path : null;

    /// <summary>The name of the ring's source, which messages show.</summary>
    public string Source => _source.Name;

    /// <summary>
    /// Finds the ring and reads it once. Throws <see cref="SecretsException"/> if there is no source or more than one, or if the text is
    /// not a valid ring. This method never makes a key, and opens no token: a token is opened when its key is first used.
    /// </summary>
    /// <param name="folder">The data folder whose file <c>kek</c> is the source if no other source is set.</param>
    /// <param name="file">The value of the setting that may name the ring's file.</param>
    /// <param name="openToken">The function that opens a key by its URI. If it is null, the ring must not contain URIs.</param>
    public static KeyRing Load(DataFolder folder, string file = "", Func<string, IKeyCipher>? openToken = null) =>
        Load(folder, Environment.GetEnvironmentVariable, file, openToken);

    /// <summary>Loads the ring, or creates it for a new data folder: if no source is set, writes a new key to the data folder's file
    /// <c>kek</c>.</summary>
    public static KeyRing LoadOrCreate(DataFolder folder, string file = "", Func<string, IKeyCipher>? openToken = null)
    {
        ArgumentNullException.ThrowIfNull(folder);
        if (file.Length == 0 && !Find(folder, Environment.GetEnvironmentVariable, file).Exists)
        {
            byte[] text = KeyEncryptionKey.GenerateText();
            byte[] line = [.. text, .. "\n"u8];
            AtomicFile.TryCreate(folder.KeyEncryptionKey, line, AtomicFile.PrivateMode);
            CryptographicOperations.ZeroMemory(text);
            CryptographicOperations.ZeroMemory(line);
        }
        return Load(folder, file, openToken);
    }

    /// <summary>Encrypts a secret with the key of this id, or with the first key if the id is null.</summary>
    public byte[] Wrap(ReadOnlySpan<byte> secret, string purpose, ReadOnlySpan<byte> logId, KeyId? by = null)
    {
        using OpenedRing keys = Open();
        return keys.Get(by).Wrap(secret, purpose, logId);
    }

    /// <summary>
    /// Decrypts a wrapped secret with the key that had wrapped it, into pinned memory, which the caller overwrites after use. Throws
    /// <see cref="SecretsException"/> if the ring does not have that key, or if the log or purpose is wrong.
    /// </summary>
    public byte[] Unwrap(ReadOnlySpan<byte> wrapped, string purpose, ReadOnlySpan<byte> logId) => Unwrap(wrapped, purpose, logId, out _);

    /// <summary>Decrypts a wrapped secret as the other overload does, and sets the parameter <paramref name="by"/> to the id of the key
    /// that had wrapped the secret.</summary>
    public byte[] Unwrap(ReadOnlySpan<byte> wrapped, string purpose, ReadOnlySpan<byte> logId, out KeyId by)
    {
        using OpenedRing keys = Open();
        return keys.Unwrap(wrapped, purpose, logId, out by);
    }

    /// <summary>
    /// Reads the source and opens all keys. The caller uses the returned keys for several secrets, and then disposes them. Throws
    /// <see cref="SecretsException"/> if the ring is unusable, and <see cref="SignerUnavailableException"/> if a token is missing or fails.
    /// </summary>
    public OpenedRing Open() => new(_source.Use(octets => OpenAll(octets, Source, _openToken)), Source);

    /// <summary>Returns the text of the ring, for a backup; the caller overwrites the result.</summary>
    public byte[] ReadText() => _source.Read();

    /// <summary>Opens the keys of a ring's text that comes from another source, such as a backup.</summary>
    public static OpenedRing OpenText(ReadOnlySpan<byte> text, string source, Func<string, IKeyCipher>? openToken) =>
        new(OpenAll(text, source, openToken), source);

    /// <inheritdoc/>
    public override string ToString() => $"key-encryption keys from {Source}";

    internal static KeyRing Load(
        DataFolder folder, Func<string, string?> environment, string file = "", Func<string, IKeyCipher>? openToken = null)
    {
        ArgumentNullException.ThrowIfNull(folder);
        var ring = new KeyRing(Find(folder, environment, file), openToken);
        // This loop opens the keys in the text, to check that they are valid. It skips keys in tokens, which are opened when they are first
        // used.
        foreach (KeyEncryptionKey key in ring._source.Use(octets => OpenAll(octets, ring.Source, openToken: null, skipTokens: true)))
        {
            key.Dispose();
        }
        return ring;
    }

    /// <summary>
    /// Splits a ring's text into its lines, each a key or a URI. Throws <see cref="SecretsException"/> if the text has no keys or too many
    /// keys.
    /// </summary>
    internal static List<byte[]> SplitLines(ReadOnlySpan<byte> text, string source)
    {
        var lines = new List<byte[]>();
        int start = 0;
        for (int i = 0; i <= text.Length; i++)
        {
            if (i == text.Length || text[i] is (byte)'\n' or (byte)' ')
            {
                if (i > start)
                {
                    byte[] line = GC.AllocateUninitializedArray<byte>(i - start, pinned: true);
                    text[start..i].CopyTo(line);
                    lines.Add(line);
                }
                start = i + 1;
            }
        }
        return lines.Count is > 0 and <= MaxKeys ? lines
            : throw new SecretsException(
                $"The key-encryption key from {source} is neither 43 characters of base64url (32 bytes) nor up to {MaxKeys} keys or URIs of keys, each on its own line.");
    }

    /// <summary>Returns whether a line of the ring is the URI of a key in a token.</summary>
    internal static bool IsUri(ReadOnlySpan<byte> line) => line.StartsWith("pkcs11:"u8);

    /// <summary>Opens the key that one line of the ring contains or names.</summary>
    internal static KeyEncryptionKey OpenLine(ReadOnlySpan<byte> line, string source, Func<string, IKeyCipher>? openToken)
    {
        if (!IsUri(line))
        {
            return KeyEncryptionKey.FromText(line, source);
        }
        string uri = Encoding.UTF8.GetString(line);
        return new KeyEncryptionKey(
            openToken is null
                ? throw new SecretsException($"The key-encryption key from {source} is in a token, which this program cannot use.")
                : openToken(uri), $"{source} ({uri})");
    }

    private static KeySource Find(DataFolder folder, Func<string, string?> environment, string file) =>
        KeySource.Find("The key-encryption key", Variable, Credential, (Setting, file), folder.KeyEncryptionKey, environment);

    private static List<KeyEncryptionKey> OpenAll(
        ReadOnlySpan<byte> text, string source, Func<string, IKeyCipher>? openToken, bool skipTokens = false)
    {
        var keys = new List<KeyEncryptionKey>();
        List<byte[]> lines = SplitLines(text, source);
        try
        {
            foreach (byte[] line in lines.Where(line => !skipTokens || !IsUri(line)))
            {
                KeyEncryptionKey key = OpenLine(line, source, openToken);
                bool isTwice = keys.Any(one => one.Id == key.Id);
                keys.Add(key);
                if (isTwice)
                {
                    throw new SecretsException($"{source} has the key-encryption key {key.Id} twice: keep it once.");
                }
            }
            return keys;
        }
        catch
        {
            keys.ForEach(key => key.Dispose());
            throw;
        }
        finally
        {
            lines.ForEach(line => CryptographicOperations.ZeroMemory(line));
        }
    }
}
