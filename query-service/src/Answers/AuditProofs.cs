using System.Numerics;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Following;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>Reads audit proofs from the board, each of which proves the step to one epoch. Merges them into audit proofs of ranges of
/// epochs. Thread-safe.</summary>
internal sealed class AuditProofs : IDisposable
{
    // The largest total length of the proofs that one merge reads. It is limited because these proofs and the result are all in memory at
    // the same time. The proof of a step with 16,384 updates has 2 MB.
    private const long MaxStepsLength = 16L * 1024 * 1024;
    private const int MaxMerges = 2;
    private const int RecordsLength = 2 * EpochRecord.Length;
    private const int StepOffset = 3 + RecordsLength;

    private readonly IBoardFiles _board;

    // The number of merges at the same time is limited, because a merge takes much processor time and memory, which lookups need too.
    private readonly SemaphoreSlim _merges = new(MaxMerges);

    public AuditProofs(IBoardFiles board) => _board = board;

    /// <summary>
    /// Returns the audit proof from the epoch <paramref name="first"/> to the epoch <paramref name="last"/>, which must both be published.
    /// The caller must dispose of the proof. Throws <see cref="BoardUnreadableException"/> if a proof on the board cannot be read. Throws
    /// <see cref="ProblemException"/> with the type range-too-large if the total length of the steps' proofs is too large, and with the
    /// type overloaded if there is not enough memory for them.
    /// </summary>
    public async Task<PooledWriter> MergeAsync(ulong first, ulong last, AnswerLease lease, CancellationToken cancellationToken)
    {
        int length = await LengthOfStepsAsync(first, last, cancellationToken);
        // The lease counts the length of the array from the pool. This length is the proof's length rounded up to a power of two.
        long held = BitOperations.RoundUpToPowerOf2((uint)length);
        lease.Take(held);
        try
        {
            await _merges.WaitAsync(cancellationToken);
        }
        catch
        {
            lease.Return(held);
            throw;
        }
        try
        {
            using var steps = new Steps((int)(last - first), length);
            await ReadAsync(first, last, steps, lease, cancellationToken);
            return Merge(steps, lease);
        }
        catch (OptiksNativeException e) when (e.Status == NativeStatus.Data)
        {
            throw new BoardUnreadableException($"The audit proofs of epochs {first + 1} to {last} do not fit together.", e);
        }
        finally
        {
            lease.Return(held);
            _merges.Release();
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _merges.Dispose();

    private static PooledWriter Merge(Steps steps, AnswerLease lease)
    {
        byte[] records = AuditProof.EncodeRecords(steps.Records);
        var proof = new PooledWriter(lease, records.Length + steps.Proofs.Blob.Length);
        try
        {
            proof.Append(records);
            AppendProofs.Merge(steps.Proofs, steps.Counts, proof);
            return proof;
        }
        catch
        {
            proof.Dispose();
            throw;
        }
    }

    private static (ReadOnlyMemory<byte> Before, ReadOnlyMemory<byte> After) Records(ReadOnlySpan<byte> step, ulong epoch)
    {
        bool isStep = step.Length >= StepOffset && ((step[0] << 16) | (step[1] << 8) | step[2]) == RecordsLength;
        if (!isStep)
        {
            throw new BoardUnreadableException($"The audit proof of epoch {epoch} does not prove exactly one step.");
        }
        byte[] records = step[3..StepOffset].ToArray();
        return (records.AsMemory(0, EpochRecord.Length), records.AsMemory(EpochRecord.Length));
    }

    private async Task<int> LengthOfStepsAsync(ulong first, ulong last, CancellationToken cancellationToken)
    {
        long length = 0;
        for (ulong epoch = first + 1; epoch <= last; epoch++)
        {
            length += (await _board.FindAuditProofAsync(epoch, cancellationToken)).Length;
            if (length > MaxStepsLength)
            {
                throw new ProblemException(
                    new Problem(ProblemTypes.RangeTooLarge, $"The proof would be too long: ask for at most {epoch - first - 1} epochs.",
                        "{range}"));
            }
        }
        return (int)length;
    }

    private async Task ReadAsync(ulong first, ulong last, Steps steps, AnswerLease lease, CancellationToken cancellationToken)
    {
        using var step = new PooledWriter(lease, StepOffset);
        for (ulong epoch = first + 1; epoch <= last; epoch++)
        {
            step.Clear();
            await _board.ReadAuditProofAsync(epoch, step, cancellationToken);
            (ReadOnlyMemory<byte> before, ReadOnlyMemory<byte> after) = Records(step.Written.Span, epoch);
            if (steps.Records.Count == 0)
            {
                steps.Records.Add(before);
            }
            else if (!before.Span.SequenceEqual(steps.Records[^1].Span))
            {
                throw new BoardUnreadableException($"The audit proof of epoch {epoch} does not begin where the previous one ends.");
            }
            steps.Add(EpochRecord.Decode(before.Span), after, step.Written.Span[StepOffset..]);
        }
    }

    /// <summary>Holds the proofs of a range's steps in the format that the native library needs.</summary>
    private sealed class Steps : IDisposable
    {
        public Steps(int count, int length)
        {
            Proofs = new ByteStrings(count, length);
            Counts = new ulong[count * StructureState.StructureCount];
        }

        public ByteStrings Proofs { get; }

        public ulong[] Counts { get; }

        public List<ReadOnlyMemory<byte>> Records { get; } = [];

        public void Add(EpochRecord before, ReadOnlyMemory<byte> after, ReadOnlySpan<byte> proofs)
        {
            for (int i = 0; i < StructureState.StructureCount; i++)
            {
                Counts[(Proofs.Count * StructureState.StructureCount) + i] = before.Structures[i].Count;
            }
            Records.Add(after);
            Proofs.Add(proofs);
        }

        public void Dispose() => Proofs.Dispose();
    }
}
