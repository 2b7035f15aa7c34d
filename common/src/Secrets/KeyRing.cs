using System.Security.Cryptography;
using System.Text;

namespace Optiks.Secrets;

/// <summary>
/// Opens a program's key-encryption keys: one key, or an old and a new one during a rotation (docs/operations/keys.md). The ring is a text
/// from one source, with keys separated by newlines or blanks. Each key is 43 characters of base64url or the <c>pkcs11:</c> URI of an AES
/// key in a token. Each use reads the source and opens the keys anew. No key stays in memory, and a changed file takes effect without a
/// restart. Any thread.
/// </summary>
public sealed class KeyRing
{
    /// <summary>The variable that may hold the text.</summary>
    public const string Variable = "OPTIKS_KEK";

    /// <summary>The credential that may hold the text (<see cref="ServiceCredential"/>).</summary>
    public const string Credential = "optiks.kek";

    /// <summary>The setting that may name a file with the text.</summary>
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
    /// The file of the ring, which commands may change. Null if the source is a variable or a credential, which only the operator can
    /// change.
    /// </summary>
    public string? File => _source.IsFile ? _source.Path : null;

    /// <summary>The source, for messages.</summary>
    public string Source => _source.Name;

    /// <summary>
    /// Finds the ring and reads it once. Throws <see cref="SecretsException"/> if there is no source or more than one, or if the text is
    /// not a ring. Never makes a key. Tokens are opened at their first use.
    /// </summary>
    /// <param name="folder">The data folder whose file <c>kek</c> is the source if no other source is set.</param>
    /// <param name="file">The value of <see cref="Setting"/>.</param>
    /// <param name="openToken">Opens a key by its URI; null means that URIs are refused.</param>
    public static KeyRing Load(DataFolder folder, string file = "", Func<string, IKeyCipher>? openToken = null) => Load(folder, Environment.GetEnvironmentVariable, file, openToken);

    /// <summary>Loads the ring of a new data folder: if there is no source, writes a new key to the folder's file.</summary>
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
    /// Decrypts into pinned memory, which the caller overwrites after use, with the key that wrapped the secret. Throws
    /// <see cref="SecretsException"/> if the ring does not have that key, or if the log or purpose is wrong.
    /// </summary>
    public byte[] Unwrap(ReadOnlySpan<byte> wrapped, string purpose, ReadOnlySpan<byte> logId) => Unwrap(wrapped, purpose, logId, out _);

    /// <summary>Decrypts as the other overload does, and returns in <paramref name="by"/> which key had wrapped the secret.</summary>
    public byte[] Unwrap(ReadOnlySpan<byte> wrapped, string purpose, ReadOnlySpan<byte> logId, out KeyId by)
    {
        using OpenedRing keys = Open();
        return keys.Unwrap(wrapped, purpose, logId, out by);
    }

    /// <summary>
    /// Reads the source and opens all keys. The caller keeps the keys while it works on several secrets, then disposes them. Throws
    /// <see cref="SecretsException"/> if the ring is unusable, and <see cref="SignerUnavailableException"/> if a token is missing or fails.
    /// </summary>
    public OpenedRing Open() => new(_source.Use(octets => OpenAll(octets, Source, _openToken)), Source);

    /// <summary>Returns the text of the ring, for a backup; the caller overwrites the result.</summary>
    public byte[] ReadText() => _source.Read();

    /// <summary>Opens the keys of a text from another source.</summary>
    public static OpenedRing OpenText(ReadOnlySpan<byte> text, string source, Func<string, IKeyCipher>? openToken) => new(OpenAll(text, source, openToken), source);

    /// <inheritdoc/>
    public override string ToString() => $"key-encryption keys from {Source}";

    internal static KeyRing Load(DataFolder folder, Func<string, string?> environment, string file = "", Func<string, IKeyCipher>? openToken = null)
    {
        ArgumentNullException.ThrowIfNull(folder);
        var ring = new KeyRing(Find(folder, environment, file), openToken);
        // This call checks only that the text has keys, because tokens are opened at their first use.
        foreach (KeyEncryptionKey key in ring._source.Use(octets => OpenAll(octets, ring.Source, openToken: null, skipTokens: true)))
        {
            key.Dispose();
        }
        return ring;
    }

    /// <summary>
    /// Splits a ring's text into keys and URIs. Throws <see cref="SecretsException"/> if the text has no keys or too many keys.
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
            : throw new SecretsException($"The key-encryption key from {source} is neither 43 characters of base64url (32 bytes) nor up to {MaxKeys} keys or URIs of keys, each on its own line.");
    }

    /// <summary>Returns whether a line names a key in a token.</summary>
    internal static bool IsUri(ReadOnlySpan<byte> line) => line.StartsWith("pkcs11:"u8);

    /// <summary>Opens the key of one line.</summary>
    internal static KeyEncryptionKey OpenLine(ReadOnlySpan<byte> line, string source, Func<string, IKeyCipher>? openToken)
    {
        if (!IsUri(line))
        {
            return KeyEncryptionKey.FromText(line, source);
        }
        string uri = Encoding.UTF8.GetString(line);
        return new KeyEncryptionKey(openToken is null ? throw new SecretsException($"The key-encryption key from {source} is in a token, which this program cannot use.") : openToken(uri), $"{source} ({uri})");
    }

    private static KeySource Find(DataFolder folder, Func<string, string?> environment, string file) =>
        KeySource.Find("The key-encryption key", Variable, Credential, (Setting, file), folder.KeyEncryptionKey, environment);

    private static List<KeyEncryptionKey> OpenAll(ReadOnlySpan<byte> text, string source, Func<string, IKeyCipher>? openToken, bool skipTokens = false)
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
