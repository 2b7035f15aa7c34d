using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Verdicts maps reasons.</summary>
internal static class Verdicts
{
    public static Verdict Of(Reason reason) => reason switch
    {
        Reason.Valid => Verdict.Valid,
        Reason.Stale => Verdict.Stale,
        Reason.Fork => Verdict.Fork,
        _ when reason.IsMalformed() => Verdict.Malformed,
        _ => Verdict.Invalid,
    };
}
