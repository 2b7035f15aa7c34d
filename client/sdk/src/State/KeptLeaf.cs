namespace Optiks.Client;

/// <summary>
/// Names a kept statement about a leaf of an owner's key or user (docs/spec/broken-append.md section 4). The statement's octets are stored
/// like a value.
/// </summary>
/// <param name="Period">Period of the leaf; 0 for a tree that does not begin anew with each period.</param>
/// <param name="Version">Version of the key.</param>
/// <param name="IsPresent">True if the statement proves that the leaf is present, false if it proves that the leaf is absent.</param>
/// <param name="Epoch">Epoch of the record in the statement.</param>
/// <param name="Sha256">SHA-256 of the statement in hexadecimal.</param>
public sealed record KeptLeaf(ulong Period, ulong Version, bool IsPresent, ulong Epoch, string Sha256);
