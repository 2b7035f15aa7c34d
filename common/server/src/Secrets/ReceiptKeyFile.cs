using Optiks.Tlog;

namespace Optiks.Secrets;

/// <summary>
/// Reads and writes the private key of an update-service that signs receipts (docs/spec/receipts.md section 1), in the form of
/// <see cref="CosignerKeyFile"/>. The public key's signature type is 0x01.
/// </summary>
public static class ReceiptKeyFile
{
    /// <summary>
    /// Makes a new key in a new file of mode 0600 and returns its public key. Throws <see cref="SecretsException"/> if the file exists or
    /// the name is invalid.
    /// </summary>
    public static VerifierKey Create(string path, string name) => CosignerKeyFile.Create(path, name, SignatureType.Ed25519);

    /// <summary>
    /// Opens the key; the caller disposes the returned signer. Throws <see cref="SecretsException"/> if other users may read the file, or
    /// if the file does not hold a key of this form.
    /// </summary>
    public static NoteSigner Open(string path) => CosignerKeyFile.Open(path, SignatureType.Ed25519);
}
