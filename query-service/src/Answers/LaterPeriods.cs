using System.Buffers;
using System.Buffers.Binary;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Following;

namespace Optiks.QueryService.Answers;

/// <summary>
/// Tells whether a key has gone to another owner since a period that has ended. A token names keys of today: whoever has it reads an ended period only of keys that every later period continues
/// (docs/spec/rest.md section 3). Any thread.
/// </summary>
internal sealed class LaterPeriods
{
    // Of Versions (docs/spec/pahd.md section 2), where the epoch of the first member stands: behind two versions, the members' length and a VRF proof. 0 is a copy's.
    private const int FirstEpoch = 8 + 8 + 4 + Lengths.VrfProof;

    private readonly CurrentEpoch _current;
    private readonly DamagedFiles _damage;

    public LaterPeriods(CurrentEpoch current, DamagedFiles damage)
    {
        _current = current;
        _damage = damage;
    }

    /// <summary>CountAfter an ended period, the current one with them.</summary>
    public int CountAfter(ulong ended) => _current.Peek() is { } current && current.Period > ended ? (int)(current.Period - ended) : 0;

    /// <summary>
    /// Gives the index of a key that has versions in the ended period and that a later period does not continue; null: there is none. Makes a proof of each such key in each later period. Throws
    /// <see cref="ServiceDefaults.ProblemException"/> (unavailable) when a period is not here.
    /// </summary>
    /// <param name="ended">The period.</param>
    /// <param name="queries">The keys, with their latest versions in it.</param>
    /// <param name="usesCache">Whether VRF proofs are taken from the cache.</param>
    public int? FindReassigned(ulong ended, QueryBatch queries, bool usesCache)
    {
        // A key without versions there shows nothing of anybody.
        int[] used = [.. Enumerable.Range(0, queries.Keys.Count).Where(i => queries.Latest[i] > 0)];
        if (used.Length == 0)
        {
            return null;
        }
        long generation = _damage.Generation;
        ServedEpoch current = _current.AcquireFresh();
        try
        {
            for (ulong period = ended + 1; period <= current.Period; period++)
            {
                if (FindReassigned(current, period, generation, queries.Keys, used, usesCache) is { } found)
                {
                    return found;
                }
            }
            return null;
        }
        finally
        {
            current.Release();
        }
    }

    private int? FindReassigned(ServedEpoch current, ulong period, long generation, ByteStrings keys, int[] used, bool usesCache)
    {
        ServedEpoch later = period == current.Period ? current : current.FindEnded(period) ?? throw CurrentEpoch.Unavailable($"The end of period {period} is being loaded here.");
        if (!later.TryAcquire())
        {
            throw CurrentEpoch.Unavailable($"The end of period {period} is being replaced here.");
        }
        try
        {
            return FindNotCopied(later.View, keys, used, usesCache);
        }
        catch (OptiksNativeException e) when (DamagedFiles.IsDamage(e))
        {
            // Here, where it is known whose files they are: whoever asked knows the ended period alone.
            throw _damage.Refuse(generation, period, e);
        }
        finally
        {
            later.Release();
        }
    }

    // By version 1, as the key's owner would be shown it: leaf epoch 0 marks a copy.
    private static int? FindNotCopied(DirectoryView view, ByteStrings keys, int[] used, bool usesCache)
    {
        using ProofBatch proofs = view.CreateProofs(StructureId.Keys, usesCache);
        foreach (int i in used)
        {
            proofs.AddVersions(keys[i], 1, 1);
        }
        proofs.Run();
        var versions = new ArrayBufferWriter<byte>();
        foreach (int i in used)
        {
            versions.ResetWrittenCount();
            _ = proofs.WriteVersions(keys[i], 1, 1, 1, versions);
            if (BinaryPrimitives.ReadUInt64BigEndian(versions.WrittenSpan) == 0 || BinaryPrimitives.ReadUInt64BigEndian(versions.WrittenSpan[FirstEpoch..]) != 0)
            {
                return i;
            }
        }
        return null;
    }
}
