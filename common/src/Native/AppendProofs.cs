using System.Buffers;
using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>AppendProofs works on append-only proofs apart from a directory.</summary>
public static class AppendProofs
{
    /// <summary>
    /// Merge appends the AppendProof structures of a whole range, made from those of its consecutive steps. <paramref name="counts"/> holds, for each step, the leaves of each structure before it. 1 to 256
    /// steps. Proofs that do not fit each other are <see cref="NativeStatus.Data"/>. Any thread.
    /// </summary>
    public static void Merge(ByteStrings steps, ReadOnlySpan<ulong> counts, IBufferWriter<byte> output)
    {
        ArgumentNullException.ThrowIfNull(steps);
        ArgumentNullException.ThrowIfNull(output);
        ArgumentOutOfRangeException.ThrowIfZero(steps.Count, nameof(steps));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(steps.Count, ProtocolLimits.MaxRangeEpochs, nameof(steps));
        if (counts.Length != Structures.Count * steps.Count)
        {
            throw new ArgumentException("There is one count of each structure for each step.", nameof(counts));
        }
        // The merged proof is about as long as its parts: one attempt nearly always does.
        var room = new AnswerRoom(output, 0, steps.Blob.Length + 64);
        int status;
        nuint length;
        do
        {
            status = Interop.optiks_append_merge(
                (nuint)steps.Count, steps.Blob, steps.Offsets, counts, room.Span, (nuint)room.Span.Length, out length);
        }
        while (room.Grown(status, length));
        room.Finish(status, length, nameof(Interop.optiks_append_merge));
    }
}
