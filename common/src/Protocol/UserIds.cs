using System.Security.Cryptography;

namespace Optiks.Protocol;

/// <summary>Makes user ids for requests that create a user without an id (docs/spec/rest.md section 5). The class has no state, and any
/// thread may use it.</summary>
public static class UserIds
{
    /// <summary>The length of a user id that this class makes, in bytes.</summary>
    public const int Length = 16;

    private static ReadOnlySpan<byte> Domain => "optiks user id 1\n"u8;

    /// <summary>
    /// Derives a user id from the id of the request that creates the user. Therefore a repeated request gets the same user id, and nobody
    /// without the request id can guess the user id.
    /// </summary>
    public static byte[] FromGuid(Guid requestId) => SHA256.HashData([.. Domain, .. requestId.ToByteArray(bigEndian: true)])[..Length];
}
