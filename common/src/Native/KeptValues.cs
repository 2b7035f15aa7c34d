namespace Optiks.Native;

/// <summary>KeptValues is whose values a <see cref="KeyDirectory"/> keeps. Only one that keeps all answers lookups.</summary>
public enum KeptValues : uint
{
    /// <summary>All: of all keys.</summary>
    All,

    /// <summary>None: for whoever compares trees alone.</summary>
    None,

    /// <summary>Lists: of structure devices, for whoever applies changes of users.</summary>
    Lists,
}
