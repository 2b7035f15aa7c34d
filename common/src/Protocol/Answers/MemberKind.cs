namespace Optiks.Protocol;

/// <summary>Says how much of a leaf's commitment a proof shows.</summary>
public enum MemberKind : byte
{
    /// <summary>The proof shows only the commitment.</summary>
    Committed = 0,

    /// <summary>The proof shows the commitment's opening and the value.</summary>
    Opened = 1,
}
