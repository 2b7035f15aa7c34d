using System.Security.Cryptography;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Secrets;

/// <summary>
/// DirectorySecrets are what a directory needs to make labels: the VRF secret of each structure and the key of the tags. In pinned
/// memory that Dispose overwrites. Not thread-safe.
/// </summary>
public sealed class DirectorySecrets : IDisposable
{
    /// <summary>Length of the plain form in octets: the structures' VRF secrets in order, and the tag key.</summary>
    public const int Length = (Structures.Count + 1) * SecretLength;

    private const int SecretLength = 32;

    // Pinned, so that the collector leaves no copies behind.
    private readonly byte[] _octets = GC.AllocateUninitializedArray<byte>(Length, pinned: true);
    private bool _disposed;

    private DirectorySecrets()
    {
    }

    /// <summary>TagKey, 32 octets.</summary>
    public ReadOnlySpan<byte> TagKey => Octets[(Structures.Count * SecretLength)..];

    /// <summary>Octets is the plain form, to be wrapped before it is stored.</summary>
    public ReadOnlySpan<byte> Octets
    {
        get
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            return _octets;
        }
    }

    /// <summary>Generate makes fresh secrets from the system's random generator.</summary>
    public static DirectorySecrets Generate()
    {
        var secrets = new DirectorySecrets();
        Span<byte> publicKey = stackalloc byte[SecretLength];
        for (int i = 0; i < Structures.Count; i++)
        {
            VrfKey.Generate(secrets._octets.AsSpan(i * SecretLength, SecretLength), publicKey);
        }
        RandomNumberGenerator.Fill(secrets._octets.AsSpan(Structures.Count * SecretLength));
        return secrets;
    }

    /// <summary>FromOctets reads the plain form. Throws <see cref="SecretsException"/> when a VRF secret is out of range or the length is another.</summary>
    public static DirectorySecrets FromOctets(ReadOnlySpan<byte> octets)
    {
        if (octets.Length != Length)
        {
            throw new SecretsException($"The period's secrets have {octets.Length} octets instead of {Length}: the stored period row is damaged.");
        }
        var secrets = new DirectorySecrets();
        octets.CopyTo(secrets._octets);
        Span<byte> publicKey = stackalloc byte[SecretLength];
        for (int i = 0; i < Structures.Count; i++)
        {
            if (!VrfKey.TryGetPublicKey(octets.Slice(i * SecretLength, SecretLength), publicKey))
            {
                secrets.Dispose();
                throw new SecretsException("A VRF secret of the period is out of range: the stored period row is damaged.");
            }
        }
        return secrets;
    }

    /// <summary>VrfSecret of a structure, 32 octets.</summary>
    public ReadOnlySpan<byte> VrfSecret(StructureId structure)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan((int)structure, 1, nameof(structure));
        ArgumentOutOfRangeException.ThrowIfGreaterThan((int)structure, Structures.Count, nameof(structure));
        return Octets.Slice(((int)structure - 1) * SecretLength, SecretLength);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        CryptographicOperations.ZeroMemory(_octets);
        _disposed = true;
    }
}
