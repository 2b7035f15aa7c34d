using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Following;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>AuditProofs gives the board's proofs of single steps, and merges them into those of ranges. Any thread.</summary>
internal sealed class AuditProofs : IDisposable
{
    // Of one merge: steps of 16,384 updates are 2 MB each.
    private const long MaxStepsLength = 128L * 1024 * 1024;
    private const int MaxMerges = 2;
    private const int RecordsLength = 2 * EpochRecord.Length;
    private const int StepOffset = 3 + RecordsLength;

    private readonly BoardFolder _board;

    // Merging is long work on much memory, and must not take the machine from lookups.
    private readonly SemaphoreSlim _merges = new(MaxMerges);

    public AuditProofs(BoardFolder board) => _board = board;

    /// <summary>
    /// ReadAsync gives the AuditProof from epoch <paramref name="first"/> to <paramref name="last"/>, which were published. Throws <see cref="BoardUnreadableException"/>, and
    /// <see cref="ProblemException"/> (range-too-large) when the steps are too long together.
    /// </summary>
    public async Task<byte[]> ReadAsync(ulong first, ulong last, CancellationToken cancellationToken)
    {
        if (last - first == 1)
        {
            return await _board.ReadAuditProofAsync(last, cancellationToken);
        }
        await _merges.WaitAsync(cancellationToken);
        try
        {
            return await MergeAsync(first, last, cancellationToken);
        }
        finally
        {
            _merges.Release();
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _merges.Dispose();

    private async Task<byte[]> MergeAsync(ulong first, ulong last, CancellationToken cancellationToken)
    {
        int count = (int)(last - first);
        var records = new List<ReadOnlyMemory<byte>>(count + 1);
        ulong[] counts = new ulong[count * StructureState.StructureCount];
        long total = 0;
        using var steps = new ByteStrings(count);
        for (int i = 0; i < count; i++)
        {
            ulong epoch = first + (ulong)i + 1;
            byte[] step = await _board.ReadAuditProofAsync(epoch, cancellationToken);
            total += step.Length;
            if (total > MaxStepsLength)
            {
                throw new ProblemException(new Problem(ProblemTypes.RangeTooLarge, $"The proof would be too long: ask for at most {i} epochs.", "epoch"));
            }
            (ReadOnlyMemory<byte> before, ReadOnlyMemory<byte> after) = Records(step, epoch);
            if (i == 0)
            {
                records.Add(before);
            }
            else if (!before.Span.SequenceEqual(records[^1].Span))
            {
                throw new BoardUnreadableException($"The audit proof of epoch {epoch} does not begin where the one before ends.");
            }
            records.Add(after);
            IReadOnlyList<StructureState> states = EpochRecord.Decode(before.Span).Structures;
            for (int j = 0; j < states.Count; j++)
            {
                counts[(i * StructureState.StructureCount) + j] = states[j].Count;
            }
            steps.Add(step.AsSpan(StepOffset));
        }
        try
        {
            return AuditProof.Encode(records, AppendProofs.Merge(steps, counts));
        }
        catch (OptiksNativeException e) when (e.Status == NativeStatus.Data)
        {
            throw new BoardUnreadableException($"The audit proofs of epochs {first + 1} to {last} do not fit each other.", e);
        }
    }

    private static (ReadOnlyMemory<byte> Before, ReadOnlyMemory<byte> After) Records(byte[] step, ulong epoch)
    {
        bool isStep = step.Length >= StepOffset && ((step[0] << 16) | (step[1] << 8) | step[2]) == RecordsLength;
        if (!isStep)
        {
            throw new BoardUnreadableException($"The audit proof of epoch {epoch} is not that of one step.");
        }
        return (step.AsMemory(3, EpochRecord.Length), step.AsMemory(3 + EpochRecord.Length, EpochRecord.Length));
    }
}
