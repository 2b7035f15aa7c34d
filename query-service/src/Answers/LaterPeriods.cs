using System.Buffers;
using System.Buffers.Binary;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Following;

namespace Optiks.QueryService.Answers;

/// <summary>
/// Finds out whether a key may have got another owner since the end of a period. A token names the keys that its holder owns today. So its
/// holder may read an ended period's versions of a key only if every later period continues that key (docs/spec/rest.md section 3).
/// Thread-safe.
/// </summary>
internal sealed class LaterPeriods
{
    // The offset of the first member's epoch in the structure Versions (docs/spec/pahd.md section 2). If the member is a copy, this epoch
    // is 0. The structure begins with two version numbers, the length of the members and a VRF proof.
    private const int FirstEpoch = 8 + 8 + 4 + Lengths.VrfProof;

    private readonly CurrentEpoch _current;
    private readonly DamagedFiles _damage;

    public LaterPeriods(CurrentEpoch current, DamagedFiles damage)
    {
        _current = current;
        _damage = damage;
    }

    /// <summary>Returns the number of periods after an ended one, up to and including the current period.</summary>
    public int CountAfter(ulong ended) => _current.Peek() is { } current && current.Period > ended ? (int)(current.Period - ended) : 0;

    /// <summary>
    /// Returns the index of a key that has versions in the ended period and that some later period does not continue; null if there is no
    /// such key. Computes one proof for each later period of each key that has versions. Throws
    /// <see cref="ServiceDefaults.ProblemException"/> (unavailable) if this replica does not have a later period's trees.
    /// </summary>
    /// <param name="ended">The ended period.</param>
    /// <param name="queries">The keys, with their latest versions in that period.</param>
    /// <param name="usesCache">Whether VRF proofs may come from the cache.</param>
    public int? FindReassigned(ulong ended, QueryBatch queries, bool usesCache)
    {
        // A key without versions in the ended period needs no check, because its answer reveals nothing about a former owner.
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
        ServedEpoch later = period == current.Period
            ? current
            : current.FindEnded(period) ?? throw CurrentEpoch.Unavailable($"This replica is loading the end of period {period}.");
        if (!later.TryAcquire())
        {
            throw CurrentEpoch.Unavailable($"This replica is replacing the end of period {period}.");
        }
        try
        {
            return FindNotCopied(later.View, keys, used, usesCache);
        }
        catch (OptiksNativeException e) when (DamagedFiles.IsDamage(e))
        {
            // This method reports the damage itself, because only it knows the period whose files are damaged. The caller knows only the
            // ended period.
            throw _damage.Refuse(generation, period, e);
        }
        finally
        {
            later.Release();
        }
    }

    // Returns the index of a key whose version 1 is not a copy; null if there is no such key. For this purpose it makes the answer that the
    // key's owner would get, in which a copy has the leaf epoch 0.
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
            if (BinaryPrimitives.ReadUInt64BigEndian(versions.WrittenSpan) == 0
                || BinaryPrimitives.ReadUInt64BigEndian(versions.WrittenSpan[FirstEpoch..]) != 0)
            {
                return i;
            }
        }
        return null;
    }
}
