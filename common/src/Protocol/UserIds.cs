using System.Security.Cryptography;

namespace Optiks.Protocol;

/// <summary>UserIds makes the ids of users that are created without one (docs/spec/rest.md section 5). Stateless, any thread.</summary>
public static class UserIds
{
    /// <summary>Length in octets.</summary>
    public const int Length = 16;

    private static ReadOnlySpan<byte> Domain => "optiks user id 1\n"u8;

    /// <summary>Of the request that creates the user: so a repeated request has the same user, and nobody who does not know the request's id can guess it.</summary>
    public static byte[] Of(Guid requestId) => SHA256.HashData([.. Domain, .. requestId.ToByteArray(bigEndian: true)])[..Length];
}
