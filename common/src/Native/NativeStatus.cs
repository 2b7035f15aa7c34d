namespace Optiks.Native;

/// <summary>NativeStatus is what a function of the C ABI returned when it did not succeed.</summary>
public enum NativeStatus
{
    /// <summary>Success.</summary>
    Ok = 0,

    /// <summary>A precondition of the call is violated: a bug in the caller.</summary>
    Argument = -1,

    /// <summary>The buffer is too small; wrappers ask again with the needed length.</summary>
    Buffer = -2,

    /// <summary>Out of memory; every handle is as it was.</summary>
    Memory = -3,

    /// <summary>The leaf log could not be written or read.</summary>
    Io = -4,

    /// <summary>The call does not fit the handle's state, such as an epoch that does not follow.</summary>
    State = -5,

    /// <summary>A label, or a key twice in one epoch, exists already.</summary>
    Duplicate = -6,

    /// <summary>A secret or public key that is not one.</summary>
    Key = -7,

    /// <summary>Stored data contradicts itself.</summary>
    Data = -8,

    /// <summary>A VRF proof is not cached, and the call makes none.</summary>
    Unproven = -9,
}
