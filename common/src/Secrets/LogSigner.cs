using System.Security.Cryptography;
using Optiks.Native;
using Optiks.Tlog;

namespace Optiks.Secrets;

/// <summary>LogSigner signs checkpoints with an Ed25519 seed in memory, pinned and overwritten on Dispose. Any thread.</summary>
public sealed class LogSigner : INoteSigner, IDisposable
{
    private readonly byte[] _seed;
    private bool _disposed;

    /// <summary>LogSigner copies the seed (32 octets); the caller overwrites its own. The key's name is the log's origin.</summary>
    public LogSigner(string origin, ReadOnlySpan<byte> seed)
    {
        if (seed.Length != Ed25519.SeedLength)
        {
            throw new SecretsException($"The log key has {seed.Length} octets instead of {Ed25519.SeedLength}: restore it from a backup.");
        }
        _seed = GC.AllocateUninitializedArray<byte>(Ed25519.SeedLength, pinned: true);
        seed.CopyTo(_seed);
        Key = new VerifierKey(origin, SignatureType.Ed25519, Ed25519.PublicKey(_seed));
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
