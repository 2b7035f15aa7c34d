// Generated from docs/spec/facts.toml by `make facts`: do not edit.
namespace Optiks.Native;

/// <summary>The status that a function of the C ABI returns.</summary>
public enum NativeStatus
{
    /// <summary>Success.</summary>
    Ok = 0,

    /// <summary>A precondition of the call is violated: a bug in the caller.</summary>
    Argument = -1,

    /// <summary>The capacity is too small; out_len says what is needed.</summary>
    Buffer = -2,

    /// <summary>Out of memory; every handle is as it was.</summary>
    Memory = -3,

    /// <summary>A file could not be written or read: optiks_last_error() has errno's text.</summary>
    Io = -4,

    /// <summary>The call does not fit the handle's state, such as an epoch that does not follow.</summary>
    State = -5,

    /// <summary>A label, or a key twice in one epoch, exists already.</summary>
    Duplicate = -6,

    /// <summary>An invalid secret or public key.</summary>
    Key = -7,

    /// <summary>Stored data (leaf rows, proofs to merge) contradicts itself.</summary>
    Data = -8,

    /// <summary>A VRF proof is not cached, and this call makes none.</summary>
    Unproven = -9,

    /// <summary>The latest value of a key was erased, so the key has no lookup.</summary>
    Erased = -10,
}
