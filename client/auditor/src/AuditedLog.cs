using System.Security.Cryptography;
using System.Text;
using Optiks.Protocol;

namespace Optiks.Auditor;

/// <summary>One log that an auditor follows.</summary>
public sealed record AuditedLog
{
    /// <summary>The log's trust anchor.</summary>
    public required TrustAnchor TrustAnchor { get; init; }

    /// <summary>The URLs of one or more query-services of the log.</summary>
    public required IReadOnlyList<Uri> QueryUrls { get; init; }

    /// <summary>
    /// The first epoch of the coverage, which never changes. The auditor takes the record of this epoch on trust unless the epoch is 0.
    /// </summary>
    public ulong FirstEpoch { get; init; }

    /// <summary>The name of the log in URL paths and folders: the SHA-256 of the log's origin in hexadecimal digits.</summary>
    public string Id => Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(TrustAnchor.Configuration.Origin)));
}
