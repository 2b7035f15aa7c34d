using System.Numerics;

namespace Optiks.Protocol;

/// <summary>Computes the sets of versions R(a) and C(a) of docs/spec/pahd.md section 1. From them follows to which version each proof in an
/// answer belongs.</summary>
public static class Ladder
{
    /// <summary>Returns R(a), the versions that an answer with latest version a shows as present, in increasing order.</summary>
    public static IReadOnlyList<ulong> Present(ulong latest)
    {
        var rungs = new SortedSet<ulong>();
        for (int i = 0; i < 64; i++)
        {
            ulong power = 1UL << i;
            if (power <= latest)
            {
                rungs.Add(power);
            }
            ulong cleared = latest >> i << i;
            if (cleared > 0)
            {
                rungs.Add(cleared);
            }
        }
        return [.. rungs];
    }

    /// <summary>Returns C(a), the versions that an answer with latest version a shows as absent, in increasing order.</summary>
    public static IReadOnlyList<ulong> Absent(ulong latest)
    {
        int bits = 64 - BitOperations.LeadingZeroCount(latest);
        var rungs = new SortedSet<ulong>();
        if (bits < 64)
        {
            rungs.Add(1UL << bits);
        }
        for (int i = 0; i < bits; i++)
        {
            if ((latest >> i & 1) == 0)
            {
                rungs.Add(((latest >> i) + 1) << i);
            }
        }
        return [.. rungs];
    }
}
