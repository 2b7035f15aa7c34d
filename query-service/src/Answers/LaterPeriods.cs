using System.Buffers;
using System.Buffers.Binary;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Following;

namespace Optiks.QueryService.Answers;

/// <summary>
/// Finds out whether a key has got another owner since a period that has ended. A token names keys that its holder owns today. Its holder
/// may therefore read an ended period only for keys that every later period continues (docs/spec/rest.md section 3). Thread-safe.
/// </summary>
internal sealed class LaterPeriods
{
    // The offset of the first member's epoch in Versions (docs/spec/pahd.md section 2): after two versions, the members' length and a VRF
    // proof. Epoch 0 marks a copy.
    private const int FirstEpoch = 8 + 8 + 4 + Lengths.VrfProof;

    private readonly CurrentEpoch _current;
    private readonly DamagedFiles _damage;

    public LaterPeriods(CurrentEpoch current, DamagedFiles damage)
    {
        _current = current;
        _damage = damage;
    }

    /// <summary>Returns the number of periods after an ended one, including the current one.</summary>
    public int CountAfter(ulong ended) => _current.Peek() is { } current && current.Period > ended ? (int)(current.Period - ended) : 0;

    /// <summary>
    /// Returns the index of a key that has versions in the ended period and that no later period continues; null when there is no such key.
    /// Computes one proof for each later period of each key that has versions. Throws <see cref="ServiceDefaults.ProblemException"/>
    /// (unavailable) when this replica does not have the trees of a later period.
    /// </summary>
    /// <param name="ended">The ended period.</param>
    /// <param name="queries">The keys, with their latest versions in that period.</param>
    /// <param name="usesCache">Whether VRF proofs may come from the cache.</param>
    public int? FindReassigned(ulong ended, QueryBatch queries, bool usesCache)
    {
        // A key without versions in the ended period reveals nothing about anybody.
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
        ServedEpoch later = period == current.Period ? current : current.FindEnded(period) ?? throw CurrentEpoch.Unavailable($"This replica is loading the end of period {period}.");
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
            // This method reports damage itself, because only it knows the period of the damaged files. The caller knows only the ended
            // period.
            throw _damage.Refuse(generation, period, e);
        }
        finally
        {
            later.Release();
        }
    }

    // Returns the index of a key whose version 1 is not a copy; null when there is no such key. It reads the answer that the key's owner
    // would get, in which leaf epoch 0 marks a copy.
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
