using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Names a key of one of the log's structures. A device list is the value of the key <c>user id</c> in the structure
/// <see cref="StructureId.Devices"/>, so lists and keys have names of one form.
/// </summary>
/// <param name="Structure">The structure.</param>
/// <param name="Id">The key's octets, in base64url.</param>
public readonly record struct StructureKey(StructureId Structure, string Id)
{
    /// <summary>Names a key that has values of its own, such as a device's key.</summary>
    public static StructureKey OfKey(string id) => new(StructureId.Keys, id);

    /// <summary>Names the device list of a user.</summary>
    public static StructureKey OfList(string user) => new(StructureId.Devices, user);
}
