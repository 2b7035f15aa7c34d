using System.Security.Cryptography;
using System.Text;

namespace Optiks.Secrets;

/// <summary>
/// KeyRing is the key-encryption keys that a program has: one, and while keys are rotated the old and the new (docs/operations/keys.md). It is a text, from one source: a key a line or between blanks, each
/// 43 characters of base64url or the <c>pkcs11:</c> URI of an AES key in a token. The source is read and the keys are opened for each use, so that no key stays in memory, and a file that was changed is
/// taken without a restart. Any thread.
/// </summary>
public sealed class KeyRing
{
    /// <summary>Variable that may hold the text.</summary>
    public const string Variable = "OPTIKS_KEK";

    /// <summary>Credential that may hold it (<see cref="ServiceCredential"/>).</summary>
    public const string Credential = "optiks.kek";

    /// <summary>Setting that may name a file with it.</summary>
    public const string Setting = "Optiks:Kek:File";

    /// <summary>MaxKeys in a ring.</summary>
    public const int MaxKeys = 8;

    private readonly KeySource _source;
    private readonly Func<string, IKeyCipher>? _openToken;

    private KeyRing(KeySource source, Func<string, IKeyCipher>? openToken)
    {
        _source = source;
        _openToken = openToken;
    }

    /// <summary>File of the ring, which commands may change; null: it is a variable or a credential, which only the operator can change.</summary>
    public string? File => _source.IsFile ? _source.Path : null;

    /// <summary>Source for messages.</summary>
    public string Source => _source.Name;

    /// <summary>
    /// Load finds the ring, and reads it once. Throws <see cref="SecretsException"/> for none, for more than one source, and for what is no ring; never makes a key. Tokens are opened at the first use.
    /// </summary>
    /// <param name="folder">Whose file <c>kek</c> is the source when nothing else is.</param>
    /// <param name="file">Value of <see cref="Setting"/>.</param>
    /// <param name="openToken">Opens a key by its URI; null: URIs are refused.</param>
    public static KeyRing Load(DataFolder folder, string file = "", Func<string, IKeyCipher>? openToken = null) => Load(folder, Environment.GetEnvironmentVariable, file, openToken);

    /// <summary>LoadOrCreate is Load for a fresh data folder: when there is no source, a new key is written to the folder's file.</summary>
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

    /// <summary>Wrap encrypts a secret by the key of this id; null: by the first.</summary>
    public byte[] Wrap(ReadOnlySpan<byte> secret, string purpose, ReadOnlySpan<byte> logId, KeyId? by = null)
    {
        using OpenedRing keys = Open();
        return keys.Get(by).Wrap(secret, purpose, logId);
    }

    /// <summary>Unwrap decrypts into pinned memory that the caller overwrites when done, by the key that wrapped it. Throws <see cref="SecretsException"/> when the ring does not have it, and for another log or purpose.</summary>
    public byte[] Unwrap(ReadOnlySpan<byte> wrapped, string purpose, ReadOnlySpan<byte> logId) => Unwrap(wrapped, purpose, logId, out _);

    /// <summary>Unwrap says as well by which key it was wrapped.</summary>
    public byte[] Unwrap(ReadOnlySpan<byte> wrapped, string purpose, ReadOnlySpan<byte> logId, out KeyId by)
    {
        using OpenedRing keys = Open();
        return keys.Unwrap(wrapped, purpose, logId, out by);
    }

    /// <summary>Open reads the source and opens all keys; the caller disposes them, and keeps them for as long as several secrets take. Throws <see cref="SecretsException"/> and <see cref="SignerUnavailableException"/>.</summary>
    public OpenedRing Open() => new(_source.Use(octets => OpenAll(octets, Source, _openToken)), Source);

    /// <summary>ReadText gives the text of the ring, for a backup; the caller overwrites it.</summary>
    public byte[] ReadText() => _source.Read();

    /// <summary>OpenText opens the keys of a text from elsewhere.</summary>
    public static OpenedRing OpenText(ReadOnlySpan<byte> text, string source, Func<string, IKeyCipher>? openToken) => new(OpenAll(text, source, openToken), source);

    /// <inheritdoc/>
    public override string ToString() => $"key-encryption keys from {Source}";

    internal static KeyRing Load(DataFolder folder, Func<string, string?> environment, string file = "", Func<string, IKeyCipher>? openToken = null)
    {
        ArgumentNullException.ThrowIfNull(folder);
        var ring = new KeyRing(Find(folder, environment, file), openToken);
        // Tokens answer later: whether there are keys at all is told now.
        foreach (KeyEncryptionKey key in ring._source.Use(octets => OpenAll(octets, ring.Source, openToken: null, skipTokens: true)))
        {
            key.Dispose();
        }
        return ring;
    }

    /// <summary>LinesOf a ring's text: keys and URIs. Throws <see cref="SecretsException"/> for none and for too many.</summary>
    internal static List<byte[]> LinesOf(ReadOnlySpan<byte> text, string source)
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
            : throw new SecretsException($"The key-encryption key from {source} is not 43 characters of base64url (32 octets), nor up to {MaxKeys} keys or URIs of keys, each on a line.");
    }

    /// <summary>IsUri says whether a line names a key in a token.</summary>
    internal static bool IsUri(ReadOnlySpan<byte> line) => line.StartsWith("pkcs11:"u8);

    /// <summary>OpenLine opens the key of one line.</summary>
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
        List<byte[]> lines = LinesOf(text, source);
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
