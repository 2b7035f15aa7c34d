using System.Buffers.Binary;
using System.Security.Cryptography;
using Optiks.Storage;

namespace Optiks.UpdateService.Requests;

/// <summary>
/// BodyHash tells a repeated request from another one under the same id. It covers what was decoded, not how it was written: member order, white space, escapes and
/// <c>key</c> or <c>key_b64</c> make no difference, and neither does one update against <c>items</c> of one. Stored only, never on the wire.
/// </summary>
internal static class BodyHash
{
    private static ReadOnlySpan<byte> Domain => "optiks update 1\n"u8;

    /// <summary>Compute hashes the items: every variable part after its length, so that no two requests have one form. SHA-256.</summary>
    public static byte[] Compute(IReadOnlyList<AcceptItem> items)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        Span<byte> number = stackalloc byte[sizeof(ulong)];
        hash.AppendData(Domain);
        Append(hash, number, (ulong)items.Count);
        foreach (AcceptItem item in items)
        {
            Append(hash, number, (ulong)item.Structure);
            Append(hash, number, (ulong)item.Key.Length);
            hash.AppendData(item.Key.Span);
            Append(hash, number, (ulong)item.Value.Length);
            hash.AppendData(item.Value.Span);
            Append(hash, number, item.Expected is null ? 0UL : 1UL);
            if (item.Expected is { } expected)
            {
                Append(hash, number, expected.Period);
                Append(hash, number, expected.Version);
            }
        }
        return hash.GetHashAndReset();
    }

    private static void Append(IncrementalHash hash, Span<byte> octets, ulong number)
    {
        BinaryPrimitives.WriteUInt64BigEndian(octets, number);
        hash.AppendData(octets);
    }
}
