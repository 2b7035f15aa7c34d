// Generated from docs/spec/facts.toml by `make facts`: do not edit.
namespace Optiks.Protocol;

/// <summary>Structures are the trees of a log.</summary>
public static class Structures
{
    /// <summary>Number of them in every record.</summary>
    public const int Count = 4;

    /// <summary>Names of them, in the order of their ids.</summary>
    public static IReadOnlyList<string> Names { get; } = ["usernames", "devices", "keys", "decommissioned"];

    /// <summary>HasVersions says whether a key has versions 1, 2, ... there; elsewhere it has one leaf, of version 0.</summary>
    public static bool HasVersions(this StructureId structure) => structure is StructureId.Devices or StructureId.Keys;
}
