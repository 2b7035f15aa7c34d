namespace Optiks.Native;

/// <summary>Makes the native verifier's arguments. The structures point to memory that the caller has pinned.</summary>
internal static unsafe class VerifierInputs
{
    public static Interop.Anchor MakeAnchor(byte* configuration, int length, ReadOnlySpan<byte> logPublicKey)
    {
        var anchor = new Interop.Anchor { Configuration = configuration, ConfigurationLen = (nuint)length };
        logPublicKey.CopyTo(anchor.LogPublicKey);
        return anchor;
    }

    public static Interop.Known[] MakeKnown(ByteStrings keys, ReadOnlySpan<KnownKey> known)
    {
        ArgumentNullException.ThrowIfNull(keys);
        if (known.Length != keys.Count)
        {
            throw new ArgumentException("There is one known state for each key.", nameof(known));
        }
        var native = new Interop.Known[known.Length];
        for (int i = 0; i < native.Length; i++)
        {
            native[i] = MakeKnown(known[i]);
        }
        return native;
    }

    public static Interop.Known MakeKnown(KnownKey known) => new()
    {
        LeastEpoch = known.LeastEpoch,
        Period = known.Period,
        Version = known.Version,
        Time = known.Time,
        AbsentEpoch = known.AbsentEpoch.GetValueOrDefault(),
        HasAbsent = known.AbsentEpoch.HasValue ? 1u : 0u,
        PageVersion = known.PageVersion,
    };
}
