using System.Security.Cryptography;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Secrets;

/// <summary>
/// Holds the secrets from which a directory makes labels and tags: a VRF secret and a tag key for each structure. The secrets are in pinned
/// memory, which Dispose overwrites. Only one thread at a time may use an instance.
/// </summary>
public sealed class DirectorySecrets : IDisposable
{
    /// <summary>The length of the plain form in bytes. The plain form consists of the VRF secrets of all structures, then of their tag
    /// keys, both in the order of the structures' numbers.</summary>
    public const int Length = Structures.Count * (SecretLength + TagKeyLength);

    /// <summary>The length of a tag key in bytes.</summary>
    public const int TagKeyLength = 32;

    private const int SecretLength = Lengths.VrfSecretKey;
    private const int TagKeysOffset = Structures.Count * SecretLength;

    // The length in bytes of the earlier plain form, which has one tag key for all four structures. Programs still read the earlier form
    // but never write it.
    private const int OneTagKeyLength = TagKeysOffset + TagKeyLength;

    // The array is pinned, because otherwise the garbage collector could move it and leave copies of the secrets behind.
    private readonly byte[] _octets = GC.AllocateUninitializedArray<byte>(Length, pinned: true);
    private bool _disposed;

    private DirectorySecrets()
    {
    }

    /// <summary>The plain form of the secrets, which must be wrapped before it is stored.</summary>
    public ReadOnlySpan<byte> Octets
    {
        get
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            return _octets;
        }
    }

    /// <summary>Makes new secrets with the system's random generator.</summary>
    public static DirectorySecrets Generate()
    {
        var secrets = new DirectorySecrets();
        for (int i = 0; i < Structures.Count; i++)
        {
            secrets.Renew((StructureId)(i + 1));
        }
        return secrets;
    }

    /// <summary>
    /// Reads secrets from their plain form, the current or the earlier one. Throws <see cref="SecretsException"/> if a VRF secret is out of
    /// range or the length is wrong.
    /// </summary>
    public static DirectorySecrets FromOctets(ReadOnlySpan<byte> octets)
    {
        if (octets.Length is not Length and not OneTagKeyLength)
        {
            throw new SecretsException(
                $"The period's secrets have {octets.Length} bytes instead of {Length}: the stored period row is damaged.");
        }
        var secrets = new DirectorySecrets();
        octets.CopyTo(secrets._octets);
        for (int end = octets.Length; end < Length; end += TagKeyLength)
        {
            octets[TagKeysOffset..].CopyTo(secrets._octets.AsSpan(end));
        }
        Span<byte> publicKey = stackalloc byte[Lengths.VrfPublicKey];
        for (int i = 0; i < Structures.Count; i++)
        {
            if (!VrfKey.TryGetPublicKey(secrets.VrfSecret((StructureId)(i + 1)), publicKey))
            {
                secrets.Dispose();
                throw new SecretsException("A VRF secret of the period is out of range: the stored period row is damaged.");
            }
        }
        return secrets;
    }

    /// <summary>
    /// Makes the secrets of the next period. The structures <c>devices</c> and <c>keys</c> get new secrets, which cannot be linked to the
    /// current secrets. The structures <c>usernames</c> and <c>decommissioned</c> have no periods and keep their secrets
    /// (docs/spec/periods.md section 2).
    /// </summary>
    public DirectorySecrets NextPeriod()
    {
        var next = new DirectorySecrets();
        try
        {
            Octets.CopyTo(next._octets);
            next.Renew(StructureId.Devices);
            next.Renew(StructureId.Keys);
            return next;
        }
        catch
        {
            next.Dispose();
            throw;
        }
    }

    /// <summary>Returns a structure's VRF secret, 32 bytes.</summary>
    public ReadOnlySpan<byte> VrfSecret(StructureId structure) => Octets.Slice(IndexOf(structure) * SecretLength, SecretLength);

    /// <summary>Returns a structure's tag key, <see cref="TagKeyLength"/> bytes.</summary>
    public ReadOnlySpan<byte> TagKey(StructureId structure) =>
        Octets.Slice(TagKeysOffset + (IndexOf(structure) * TagKeyLength), TagKeyLength);

    /// <inheritdoc/>
    public void Dispose()
    {
        CryptographicOperations.ZeroMemory(_octets);
        _disposed = true;
    }

    private static int IndexOf(StructureId structure)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan((int)structure, 1, nameof(structure));
        ArgumentOutOfRangeException.ThrowIfGreaterThan((int)structure, Structures.Count, nameof(structure));
        return (int)structure - 1;
    }

    private void Renew(StructureId structure)
    {
        Span<byte> publicKey = stackalloc byte[Lengths.VrfPublicKey];
        VrfKey.Generate(_octets.AsSpan(IndexOf(structure) * SecretLength, SecretLength), publicKey);
        RandomNumberGenerator.Fill(_octets.AsSpan(TagKeysOffset + (IndexOf(structure) * TagKeyLength), TagKeyLength));
    }
}
