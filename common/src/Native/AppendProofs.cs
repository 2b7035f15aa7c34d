namespace Optiks.Native;

/// <summary>AppendProofs works on append-only proofs apart from a directory.</summary>
public static class AppendProofs
{
    private const int MaxSteps = 256;
    private const int StructureCount = 4;

    /// <summary>
    /// Merge makes the four AppendProof structures of a whole range from those of its consecutive steps. <paramref name="counts"/> holds,
    /// for each step, the leaves of structures 1..4 before it. 1 to 256 steps. Proofs that do not fit each other are
    /// <see cref="NativeStatus.Data"/>. Any thread.
    /// </summary>
    public static byte[] Merge(ByteStrings steps, ReadOnlySpan<ulong> counts)
    {
        ArgumentNullException.ThrowIfNull(steps);
        ArgumentOutOfRangeException.ThrowIfZero(steps.Count, nameof(steps));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(steps.Count, MaxSteps, nameof(steps));
        if (counts.Length != StructureCount * steps.Count)
        {
            throw new ArgumentException("There are four counts for each step.", nameof(counts));
        }
        // The merged proof is about as long as its parts: one attempt nearly always does.
        byte[] merged = new byte[steps.Blob.Length + 64];
        int status = Call(steps, counts, merged, out nuint length);
        if (status == (int)NativeStatus.Buffer)
        {
            merged = new byte[checked((int)length)];
            status = Call(steps, counts, merged, out length);
        }
        OptiksNativeException.ThrowIfFailed(status, nameof(Interop.optiks_append_merge));
        return merged.AsSpan(0, (int)length).ToArray();
    }

    private static int Call(ByteStrings steps, ReadOnlySpan<ulong> counts, Span<byte> merged, out nuint length) =>
        Interop.optiks_append_merge((nuint)steps.Count, steps.Blob, steps.Offsets, counts, merged, (nuint)merged.Length, out length);
}
