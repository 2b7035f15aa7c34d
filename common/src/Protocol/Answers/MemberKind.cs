namespace Optiks.Protocol;

/// <summary>MemberKind says what of a leaf's commitment is shown.</summary>
public enum MemberKind : byte
{
    /// <summary>The commitment only.</summary>
    Committed = 0,

    /// <summary>Its opening and the value.</summary>
    Opened = 1,
}
