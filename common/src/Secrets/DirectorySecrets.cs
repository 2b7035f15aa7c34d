using System.Security.Cryptography;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Secrets;

/// <summary>
/// DirectorySecrets are what a directory needs to make labels and tags: a VRF secret and a tag key of each structure. In pinned memory that Dispose overwrites. Not thread-safe.
/// </summary>
public sealed class DirectorySecrets : IDisposable
{
    /// <summary>Length of the plain form in octets: the structures' VRF secrets in order, and their tag keys in order.</summary>
    public const int Length = Structures.Count * (SecretLength + TagKeyLength);

    /// <summary>TagKeyLength in octets.</summary>
    public const int TagKeyLength = 32;

    private const int SecretLength = Lengths.VrfSecretKey;
    private const int TagKeysOffset = Structures.Count * SecretLength;

    // The form of logs from before each structure had a tag key of its own: one for all four. It is read and never written.
    private const int OneTagKeyLength = TagKeysOffset + TagKeyLength;

    // Pinned, so that the collector leaves no copies behind.
    private readonly byte[] _octets = GC.AllocateUninitializedArray<byte>(Length, pinned: true);
    private bool _disposed;

    private DirectorySecrets()
    {
    }

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
        for (int i = 0; i < Structures.Count; i++)
        {
            secrets.Renew((StructureId)(i + 1));
        }
        return secrets;
    }

    /// <summary>FromOctets reads the plain form, or that of before. Throws <see cref="SecretsException"/> when a VRF secret is out of range or the length is another.</summary>
    public static DirectorySecrets FromOctets(ReadOnlySpan<byte> octets)
    {
        if (octets.Length is not Length and not OneTagKeyLength)
        {
            throw new SecretsException($"The period's secrets have {octets.Length} octets instead of {Length}: the stored period row is damaged.");
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
    /// NextPeriod makes the secrets of the period after this one: fresh ones of devices and keys, which nothing links to these; usernames and decommissioned know no periods and keep theirs
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

    /// <summary>VrfSecret of a structure, 32 octets.</summary>
    public ReadOnlySpan<byte> VrfSecret(StructureId structure) => Octets.Slice(IndexOf(structure) * SecretLength, SecretLength);

    /// <summary>TagKey of a structure, <see cref="TagKeyLength"/> octets.</summary>
    public ReadOnlySpan<byte> TagKey(StructureId structure) => Octets.Slice(TagKeysOffset + (IndexOf(structure) * TagKeyLength), TagKeyLength);

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
