using Optiks.Tlog;

namespace Optiks.Secrets;

/// <summary>
/// Reads and writes the private key of an update-service that signs receipts (docs/spec/receipts.md section 1), in the form of
/// <see cref="CosignerKeyFile"/>. The public key is of type 0x01.
/// </summary>
public static class ReceiptKeyFile
{
    /// <summary>
    /// Makes a new key in a new file of mode 0600 and returns its public key. Throws <see cref="SecretsException"/> if the file exists or
    /// the name is invalid.
    /// </summary>
    public static VerifierKey Create(string path, string name) => CosignerKeyFile.Create(path, name, SignatureType.Ed25519);

    /// <summary>
    /// Opens the key; the caller disposes it. Throws <see cref="SecretsException"/> if others may read the file or it does not hold such a
    /// key.
    /// </summary>
    public static NoteSigner Open(string path) => CosignerKeyFile.Open(path, SignatureType.Ed25519);
}
