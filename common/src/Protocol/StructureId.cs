// Generated from docs/spec/facts.toml by `make facts`: do not edit.
namespace Optiks.Protocol;

/// <summary>Names one of the structures of a log (docs/spec/tree.md).</summary>
public enum StructureId : byte
{
    /// <summary>No structure; never on the wire.</summary>
    None = 0,

    /// <summary>Key: username; value: user id; oZKS, life of the log.</summary>
    Usernames = 1,

    /// <summary>Key: user id; value: the user's device ids, sorted and without repetition; PAHD, per period.</summary>
    Devices = 2,

    /// <summary>Key: a device id, or a key of another kind; value: credential value; PAHD, per period.</summary>
    Keys = 3,

    /// <summary>Key: user id; value: 0x01; oZKS, life of the log.</summary>
    Decommissioned = 4,
}
