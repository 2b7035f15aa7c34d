using System.Buffers;
using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>Merges append-only proofs, without a directory.</summary>
public static class AppendProofs
{
    /// <summary>
    /// Merges the AppendProof structures of a range's consecutive steps, and appends the AppendProof structures of the whole range to
    /// <paramref name="output"/>. For each step, the parameter <paramref name="counts"/> holds the number of leaves that each structure has
    /// before the step. Takes 1 to 256 steps. Throws with <see cref="NativeStatus.Data"/> if the proofs do not fit each other. Any thread
    /// may call this method.
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
        // The merged proof is about as long as its parts, so the first attempt nearly always succeeds.
        var room = new AnswerRoom(output, 0, steps.Blob.Length + 64);
        int status;
        nuint length;
        do
        {
            status = DirectoryInterop.optiks_append_merge(
                (nuint)steps.Count, steps.Blob, steps.Offsets, counts, room.Span, (nuint)room.Span.Length, out length);
        }
        while (room.Grown(status, length));
        room.Finish(status, length, nameof(DirectoryInterop.optiks_append_merge));
    }
}
