// Generated from docs/spec/facts.toml by `make facts`: do not edit.
namespace Optiks.Protocol;

/// <summary>Describes the structures of a log.</summary>
public static class Structures
{
    /// <summary>The number of structures in every record.</summary>
    public const int Count = 4;

    /// <summary>The names of the structures, in the order of their ids.</summary>
    public static IReadOnlyList<string> Names { get; } = ["usernames", "devices", "keys", "decommissioned"];

    /// <summary>Tells whether a key has versions 1, 2, ... in this structure; in the others it has one leaf, of version 0.</summary>
    public static bool HasVersions(this StructureId structure) => structure is StructureId.Devices or StructureId.Keys;

    /// <summary>Tells whether the structure's tree begins anew with each time period.</summary>
    public static bool IsPerPeriod(this StructureId structure) => structure is StructureId.Devices or StructureId.Keys;
}
