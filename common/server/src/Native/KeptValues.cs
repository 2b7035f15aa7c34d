namespace Optiks.Native;

/// <summary>Selects the values that a <see cref="KeyDirectory"/> keeps. Only a directory that keeps all values answers lookups.</summary>
public enum KeptValues : uint
{
    /// <summary>Keeps the values of all keys.</summary>
    All,

    /// <summary>Keeps no values, for a program that only compares trees.</summary>
    None,

    /// <summary>Keeps the values of the structure <c>devices</c> (device lists), for a program that applies user changes.</summary>
    Lists,
}
