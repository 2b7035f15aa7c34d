namespace Optiks.Native;

/// <summary>Selects the values that a <see cref="KeyDirectory"/> keeps. Only a directory that keeps all values answers lookups.</summary>
public enum KeptValues : uint
{
    /// <summary>Keeps the values of all keys.</summary>
    All,

    /// <summary>Keeps no values, for a program that only compares trees.</summary>
    None,

    /// <summary>Keeps the values of structure devices, for a program that applies changes of users.</summary>
    Lists,
}
