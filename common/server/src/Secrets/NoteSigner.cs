using System.Security.Cryptography;
using Optiks.Native;
using Optiks.Tlog;

namespace Optiks.Secrets;

/// <summary>
/// Signs a log's notes, or makes a cosigner's cosignatures, with an Ed25519 seed in pinned memory, which Dispose overwrites. Any thread may
/// use a signer.
/// </summary>
public sealed class NoteSigner : INoteSigner
{
    private readonly byte[] _seed;
    private bool _disposed;

    /// <summary>Creates a signer with a copy of the seed (32 bytes); the caller overwrites its own copy.</summary>
    /// <param name="name">The name of the key; a log's key is named after its origin.</param>
    /// <param name="type">The type of the key's signatures: signatures of a log's notes, or cosignatures.</param>
    /// <param name="seed">The secret seed.</param>
    public NoteSigner(string name, SignatureType type, ReadOnlySpan<byte> seed)
    {
        if (seed.Length != Ed25519.SeedLength)
        {
            throw new SecretsException(
                $"The key of {name} has {seed.Length} bytes instead of {Ed25519.SeedLength}: restore it from a backup.");
        }
        _seed = GC.AllocateUninitializedArray<byte>(Ed25519.SeedLength, pinned: true);
        seed.CopyTo(_seed);
        Key = new VerifierKey(name, type, Ed25519.PublicKey(_seed));
    }

    /// <inheritdoc/>
    public VerifierKey Key { get; }

    /// <inheritdoc/>
    public ValueTask<byte[]> SignAsync(ReadOnlyMemory<byte> message, CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        cancellationToken.ThrowIfCancellationRequested();
        return ValueTask.FromResult(Ed25519.Sign(_seed, message.Span));
    }

    /// <inheritdoc/>
    public override string ToString() => $"signer of {Key.Name}";

    /// <inheritdoc/>
    public void Dispose()
    {
        CryptographicOperations.ZeroMemory(_seed);
        _disposed = true;
    }
}
