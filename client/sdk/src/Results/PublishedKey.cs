using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>A key with the version that a request gave it, according to the server.</summary>
/// <param name="Key">The key; empty when the server may not name it. Depending on the structure it is a username, a user id or a device
/// id.</param>
/// <param name="Version">
/// Period and version of the key; the version is 0 in structures without versions (<see cref="Structures.HasVersions"/>).
/// </param>
/// <param name="Structure">Structure of the key.</param>
/// <param name="Item">Number of the item in the request (docs/spec/rest.md section 5).</param>
public readonly record struct PublishedKey(
    ReadOnlyMemory<byte> Key, KeyVersionNumber Version, StructureId Structure = StructureId.Keys, int Item = 0);
