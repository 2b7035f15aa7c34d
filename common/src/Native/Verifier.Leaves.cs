using Optiks.Protocol;

namespace Optiks.Native;

public static unsafe partial class Verifier
{
    /// <summary>
    /// Judges two LeafStatements together (docs/spec/broken-append.md section 2). Returns <see cref="Reason.LeafContradicts"/> if they are
    /// evidence that a tree changed in another way than by adding leaves, and otherwise the reason why they are not evidence. Never returns
    /// <see cref="Reason.Valid"/>.
    /// </summary>
    public static Reason JudgeLeaves(TrustAnchor anchor, ReadOnlySpan<byte> first, ReadOnlySpan<byte> second)
    {
        ArgumentNullException.ThrowIfNull(anchor);
        fixed (byte* configuration = anchor.ConfigurationOctets.Span)
        {
            Interop.Anchor native = MakeAnchor(configuration, anchor.ConfigurationOctets.Length, anchor.LogKey.PublicKey);
            OptiksNativeException.ThrowIfFailed(
                Interop.optiks_judge_leaves(in native, first, (nuint)first.Length, second, (nuint)second.Length, out int reason),
                nameof(Interop.optiks_judge_leaves));
            return (Reason)reason;
        }
    }
}
