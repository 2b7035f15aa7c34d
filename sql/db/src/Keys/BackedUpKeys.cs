using System.Security.Cryptography;
using System.Text;
using Optiks.Pkcs11;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.Db.Keys;

/// <summary>The keys that a <see cref="KeyBackup"/> contains.</summary>
/// <param name="Kek">The text of the key ring. For a key in a token, the text has the key's URI.</param>
/// <param name="LogKey">The wrapped log key; empty if the log key is in a token.</param>
/// <param name="Trust">The text of the trust anchor.</param>
internal sealed record BackedUpKeys(byte[] Kek, byte[] LogKey, byte[] Trust) : IDisposable
{
    /// <summary>
    /// Reads the keys of a host. Throws <see cref="SecretsException"/> if a key cannot be read. Also throws it if the keys do not fit
    /// together, because a backup of such keys would be useless.
    /// </summary>
    public static BackedUpKeys Find(KeyPlace place)
    {
        var keys = new BackedUpKeys(place.Ring().ReadText(), place.HasWrappedLogKey ? WrappedLogKey.Read(place.Folder) : [],
            System.IO.File.ReadAllBytes(place.Trust));
        try
        {
            using OpenedRing opened = keys.OpenRing();
            keys.Check(opened);
            return keys;
        }
        catch
        {
            keys.Dispose();
            throw;
        }
    }

    /// <summary>Opens the key ring and the tokens that it names. The caller must dispose of the result.</summary>
    public OpenedRing OpenRing() => KeyRing.OpenText(Kek, "the backup", TokenCipher.Open);

    /// <summary>Returns the log's trust anchor.</summary>
    public TrustAnchor Anchor() => TrustAnchor.Parse(Trust);

    /// <summary>
    /// Opens the log key and compares its public key with the one in the trust anchor. Throws <see cref="SecretsException"/> if they
    /// differ.
    /// </summary>
    public void Check(OpenedRing ring)
    {
        TrustAnchor anchor = Anchor();
        if (LogKey.Length == 0)
        {
            return;
        }
        byte[] seed = ring.Unwrap(LogKey, SecretPurpose.LogKey, anchor.LogId.Span, out _);
        try
        {
            using var signer = new NoteSigner(anchor.Configuration.Origin, SignatureType.Ed25519, seed);
            if (!signer.Key.Equals(anchor.LogKey))
            {
                throw new SecretsException($"The log's key is not the key of {anchor.LogKey}.");
            }
        }
        finally
        {
            CryptographicOperations.ZeroMemory(seed);
        }
    }

    /// <summary>Whether some of the keys are in a token, so that the backup is useless without the token.</summary>
    public bool HasTokenKeys => LogKey.Length == 0 || Encoding.UTF8.GetString(Kek).Contains("pkcs11:", StringComparison.Ordinal);

    public void Dispose() => CryptographicOperations.ZeroMemory(Kek);
}
