using System.Text.Json;

namespace Optiks.Tlog.Tests;

/// <summary>Signs with one of the published seeds of keys.json.</summary>
internal sealed class SeedSigner : INoteSigner
{
    private readonly byte[] _seed;

    public SeedSigner(string name, SignatureType type, byte[] seed)
    {
        _seed = seed;
        Key = new VerifierKey(name, type, BigIntegerEd25519.PublicKey(seed));
    }

    public VerifierKey Key { get; }

    public static SeedSigner Log { get; } = From(Vectors.Keys.GetProperty("log"), SignatureType.Ed25519);

    public static SeedSigner From(JsonElement key, SignatureType type) =>
        new(key.Text("name"), type, Convert.FromHexString(key.Text("seed_hex")));

    public ValueTask<byte[]> SignAsync(ReadOnlyMemory<byte> message, CancellationToken cancellationToken) =>
        ValueTask.FromResult(BigIntegerEd25519.Sign(_seed, message.Span));

    // The seed need not be erased, because it is published.
    public void Dispose()
    {
    }
}
