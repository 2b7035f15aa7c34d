namespace Optiks.Client;

/// <summary>KeptLeaf names a statement about a leaf that an owner was shown of its own (docs/spec/broken-append.md section 4). Its octets are kept like a value.</summary>
/// <param name="Period">Period of the leaf; 0 where its tree lives as long as the log.</param>
/// <param name="Version">Version of the key.</param>
/// <param name="IsPresent">The leaf is present; false: it is absent.</param>
/// <param name="Epoch">Epoch of the record.</param>
/// <param name="Sha256">SHA-256 of the statement in hexadecimal.</param>
public sealed record KeptLeaf(ulong Period, ulong Version, bool IsPresent, ulong Epoch, string Sha256);
