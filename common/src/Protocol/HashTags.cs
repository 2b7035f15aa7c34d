// Generated from docs/spec/facts.toml by `make facts`: do not edit.
namespace Optiks.Protocol;

/// <summary>The first byte of each hash's input (docs/spec/encoding.md section 1).</summary>
public static class HashTags
{
    /// <summary>Leaf.</summary>
    public const byte Leaf = 1;

    /// <summary>Interior node.</summary>
    public const byte Interior = 2;

    /// <summary>The empty tree (no fields).</summary>
    public const byte Empty = 3;

    /// <summary>Value commitment.</summary>
    public const byte Commitment = 4;

    /// <summary>Owner's note commitment.</summary>
    public const byte Note = 5;

    /// <summary>Epoch record.</summary>
    public const byte Record = 6;

    /// <summary>Log id.</summary>
    public const byte LogId = 7;

    /// <summary>Promised item of an update.</summary>
    public const byte Promise = 8;
}
