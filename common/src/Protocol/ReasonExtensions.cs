namespace Optiks.Protocol;

/// <summary>ReasonExtensions are the names and kinds of reasons.</summary>
public static class ReasonExtensions
{
    /// <summary>Name of the reason as docs/spec/reasons.md has it, such as <c>member_root</c>.</summary>
    public static string Name(this Reason reason) =>
        ReasonNames.Of(reason) ?? throw new ArgumentOutOfRangeException(nameof(reason), reason, "Not a reason.");

    /// <summary>IsValid says whether every check passed.</summary>
    public static bool IsValid(this Reason reason) => reason == Reason.Valid;

    /// <summary>IsMalformed says whether the octets did not decode, as opposed to a proof that does not hold.</summary>
    public static bool IsMalformed(this Reason reason) => (int)reason is >= 1 and <= 19;
}
