namespace Optiks.Protocol;

/// <summary>StructureId names one of the four trees of a log (docs/spec/tree.md).</summary>
public enum StructureId : byte
{
    /// <summary>No structure; never on the wire.</summary>
    None = 0,

    /// <summary>Username to user id; an oZKS for the life of the log.</summary>
    Usernames = 1,

    /// <summary>User id to device ids; a PAHD per period.</summary>
    Devices = 2,

    /// <summary>Device id, or any key, to its credential; a PAHD per period.</summary>
    Keys = 3,

    /// <summary>User ids that will never be used again; an oZKS for the life of the log.</summary>
    Decommissioned = 4,
}
