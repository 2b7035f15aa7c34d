using System.Security.Cryptography;

namespace Optiks.Tlog;

/// <summary>Computes the hashes of RFC 6962 section 2.1 with SHA-256. Any thread may use this class.</summary>
public static class Rfc6962
{
    private const byte LeafPrefix = 0x00;
    private const byte NodePrefix = 0x01;

    /// <summary>The hash of a tree without entries, SHA-256 of no bytes.</summary>
    public static TreeHash EmptyRoot { get; } = TreeHash.FromBytes(SHA256.HashData([]));

    /// <summary>Returns the hash of an entry's leaf.</summary>
    public static TreeHash LeafHash(ReadOnlySpan<byte> entry)
    {
        using var sha256 = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        sha256.AppendData([LeafPrefix]);
        sha256.AppendData(entry);
        TreeHash hash = default;
        sha256.GetHashAndReset(hash);
        return hash;
    }

    /// <summary>Returns the hash of an interior node.</summary>
    public static TreeHash NodeHash(TreeHash left, TreeHash right)
    {
        Span<byte> input = stackalloc byte[1 + (2 * TreeHash.Length)];
        input[0] = NodePrefix;
        left.AsSpan().CopyTo(input[1..]);
        right.AsSpan().CopyTo(input[(1 + TreeHash.Length)..]);
        TreeHash hash = default;
        SHA256.HashData(input, hash);
        return hash;
    }

    /// <summary>Returns the root of a complete subtree, computed from all of its nodes at one level. Throws unless the number of nodes is a
    /// power of two.</summary>
    public static TreeHash CompleteRoot(ReadOnlySpan<TreeHash> nodes)
    {
        if (!int.IsPow2(nodes.Length))
        {
            throw new ArgumentException("A complete subtree must have 2^k nodes on a level.", nameof(nodes));
        }
        TreeHash[] level = nodes.ToArray();
        for (int width = level.Length; width > 1; width /= 2)
        {
            for (int i = 0; i < width / 2; i++)
            {
                level[i] = NodeHash(level[2 * i], level[(2 * i) + 1]);
            }
        }
        return level[0];
    }
}
