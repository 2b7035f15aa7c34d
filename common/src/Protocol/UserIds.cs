using System.Security.Cryptography;

namespace Optiks.Protocol;

/// <summary>Makes ids for users that are created without an id (docs/spec/rest.md section 5). Stateless, any thread.</summary>
public static class UserIds
{
    /// <summary>The length of an id in bytes.</summary>
    public const int Length = 16;

    private static ReadOnlySpan<byte> Domain => "optiks user id 1\n"u8;

    /// <summary>
    /// Derives the id from the request that creates the user. A repeated request therefore gets the same id, and only someone who knows the
    /// request's id can guess the user's id.
    /// </summary>
    public static byte[] FromGuid(Guid requestId) => SHA256.HashData([.. Domain, .. requestId.ToByteArray(bigEndian: true)])[..Length];
}
