using System.Buffers;
using System.Buffers.Binary;
using System.Security.Cryptography;
using Optiks.Storage;

namespace Optiks.UpdateService.Requests;

/// <summary>
/// Computes the hash that distinguishes a repeated request from a different request with the same id. The hash covers the decoded content
/// of a body, and not its JSON form. So the order of members, white space, escapes, and the choice between <c>key</c> and <c>key_b64</c>
/// make no difference. A single update has the same hash as <c>items</c> with this update as the only element. The service stores the hash
/// and never sends it.
/// </summary>
internal static class BodyHash
{
    // The greatest number of bytes that are hashed of an item in addition to its key and value: the structure, two lengths, whether the
    // item expects a version, and the expected period and version.
    private const int MaxItemOverhead = 6 * sizeof(ulong);
    private const int OnStack = 1024;

    private static ReadOnlySpan<byte> Domain => "optiks update 1\n"u8;

    /// <summary>
    /// Hashes the items with SHA-256. Each part of variable length comes after its length, so that two different requests never have the
    /// same bytes to hash.
    /// </summary>
    public static byte[] Compute(IReadOnlyList<AcceptItem> items)
    {
        int capacity = Domain.Length + sizeof(ulong);
        for (int i = 0; i < items.Count; i++)
        {
            capacity += MaxItemOverhead + items[i].Key.Length + items[i].Value.Length;
        }
        byte[]? rented = capacity > OnStack ? ArrayPool<byte>.Shared.Rent(capacity) : null;
        try
        {
            Span<byte> form = rented ?? stackalloc byte[OnStack];
            return SHA256.HashData(form[..Write(items, form)]);
        }
        finally
        {
            if (rented is not null)
            {
                ArrayPool<byte>.Shared.Return(rented);
            }
        }
    }

    private static int Write(IReadOnlyList<AcceptItem> items, Span<byte> form)
    {
        Span<byte> rest = form;
        Append(ref rest, Domain);
        Append(ref rest, (ulong)items.Count);
        for (int i = 0; i < items.Count; i++)
        {
            AcceptItem item = items[i];
            Append(ref rest, (ulong)item.Structure);
            Append(ref rest, (ulong)item.Key.Length);
            Append(ref rest, item.Key.Span);
            Append(ref rest, (ulong)item.Value.Length);
            Append(ref rest, item.Value.Span);
            Append(ref rest, item.Expected is null ? 0UL : 1UL);
            if (item.Expected is { } expected)
            {
                Append(ref rest, expected.Period);
                Append(ref rest, expected.Version);
            }
        }
        return form.Length - rest.Length;
    }

    private static void Append(ref Span<byte> rest, ReadOnlySpan<byte> octets)
    {
        octets.CopyTo(rest);
        rest = rest[octets.Length..];
    }

    private static void Append(ref Span<byte> rest, ulong number)
    {
        BinaryPrimitives.WriteUInt64BigEndian(rest, number);
        rest = rest[sizeof(ulong)..];
    }
}
