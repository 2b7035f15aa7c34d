namespace Optiks.Protocol;

/// <summary>Extends reasons with their names and kinds.</summary>
public static class ReasonExtensions
{
    /// <summary>Returns the reason's name in docs/spec/reasons.md, such as <c>member_root</c>.</summary>
    public static string Name(this Reason reason) =>
        ReasonNames.Find(reason) ?? throw new ArgumentOutOfRangeException(nameof(reason), reason, "Not a reason.");

    /// <summary>Returns whether the reason means that every check passed.</summary>
    public static bool IsValid(this Reason reason) => reason == Reason.Valid;

    /// <summary>Returns whether the reason means that the bytes could not be decoded. Other reasons mean that a check failed.</summary>
    public static bool IsMalformed(this Reason reason) => (int)reason is >= 1 and <= 19;
}
