using System.Security.Cryptography;

namespace Optiks.Protocol;

/// <summary>UserIds makes the ids of users that are created without one (docs/spec/rest.md section 5). Stateless, any thread.</summary>
public static class UserIds
{
    /// <summary>Length in octets.</summary>
    public const int Length = 16;

    private const int RequestIdLength = 16;

    private static ReadOnlySpan<byte> Domain => "optiks user id 1\n"u8;

    /// <summary>Of the request that creates the user: so a repeated request has the same user, and nobody who does not know the request's id can guess it.</summary>
    public static byte[] Of(Guid requestId)
    {
        Span<byte> octets = stackalloc byte[Domain.Length + RequestIdLength];
        Domain.CopyTo(octets);
        _ = requestId.TryWriteBytes(octets[Domain.Length..], bigEndian: true, out _);
        return SHA256.HashData(octets)[..Length];
    }
}
