using Microsoft.IdentityModel.Tokens;
using Optiks.Native;
using Optiks.Tokens;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Adds the algorithm <c>EdDSA</c>, which .NET lacks, to Microsoft.IdentityModel. liboptiks verifies the signatures. Any thread may use a
/// key.
/// </summary>
internal sealed class Ed25519SecurityKey : AsymmetricSecurityKey
{
    // All keys share one factory, because each factory has a cache, and each cache has its own thread.
    private static readonly CryptoProviderFactory s_factory =
        new() { CustomCryptoProvider = new Provider(), CacheSignatureProviders = false };

    private readonly byte[] _publicKey;

    /// <summary>Makes a key from a public key of 32 bytes.</summary>
    public Ed25519SecurityKey(byte[] publicKey)
    {
        _publicKey = publicKey;
        CryptoProviderFactory = s_factory;
    }

    [Obsolete("As in the base class.")]
    public override bool HasPrivateKey => false;

    public override PrivateKeyStatus PrivateKeyStatus => PrivateKeyStatus.DoesNotExist;

    public override int KeySize => 8 * Ed25519.PublicKeyLength;

    private sealed class Provider : ICryptoProvider
    {
        public bool IsSupportedAlgorithm(string algorithm, params object[] args) =>
            algorithm == TokenNames.EdDsa && args is [Ed25519SecurityKey, ..];

        public object Create(string algorithm, params object[] args) => new Verifier((Ed25519SecurityKey)args[0], algorithm);

        public void Release(object cryptoInstance) => (cryptoInstance as IDisposable)?.Dispose();
    }

    private sealed class Verifier : SignatureProvider
    {
        private readonly byte[] _publicKey;

        public Verifier(Ed25519SecurityKey key, string algorithm)
            : base(key, algorithm)
        {
            _publicKey = key._publicKey;
        }

        public override byte[] Sign(byte[] input) => throw new NotSupportedException("A public key signs nothing.");

        public override bool Verify(byte[] input, byte[] signature) => Ed25519.Verify(_publicKey, input, signature);

        public override bool Verify(
            byte[] input, int inputOffset, int inputLength, byte[] signature, int signatureOffset, int signatureLength) =>
            Ed25519.Verify(_publicKey, input.AsSpan(inputOffset, inputLength), signature.AsSpan(signatureOffset, signatureLength));

        protected override void Dispose(bool disposing)
        {
        }
    }
}
