// Generated from docs/spec/facts.toml by `make facts`: do not edit.
namespace Optiks.Native;

/// <summary>The version of the C ABI that this binding was written for.</summary>
internal static class Abi
{
    /// <summary>The version that liboptiks must have.</summary>
    public const uint Version = 14;
}
