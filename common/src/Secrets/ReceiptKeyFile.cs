using Optiks.Tlog;

namespace Optiks.Secrets;

/// <summary>ReceiptKeyFile is the private key of an update-service that gives receipts (docs/spec/receipts.md section 1), in the form of <see cref="CosignerKeyFile"/>. Its public side is of type 0x01.</summary>
public static class ReceiptKeyFile
{
    /// <summary>Create makes a new key in a new file of mode 0600 and gives its public side. Throws <see cref="SecretsException"/> when the file exists or the name is none.</summary>
    public static VerifierKey Create(string path, string name) => CosignerKeyFile.Create(path, name, SignatureType.Ed25519);

    /// <summary>Open reads the key; the caller disposes it. Throws <see cref="SecretsException"/> for a file that others may read or that is no such key.</summary>
    public static NoteSigner Open(string path) => CosignerKeyFile.Open(path, SignatureType.Ed25519);
}
