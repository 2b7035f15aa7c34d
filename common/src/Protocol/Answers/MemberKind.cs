namespace Optiks.Protocol;

/// <summary>Says whether a membership proof shows a leaf's value or only the commitment to the value.</summary>
public enum MemberKind : byte
{
    /// <summary>The proof shows only the commitment.</summary>
    Committed = 0,

    /// <summary>The proof shows the commitment's opening and the value.</summary>
    Opened = 1,
}
