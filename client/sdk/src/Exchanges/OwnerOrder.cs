using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>OwnerOrder ticks off what an owner set, in its order (docs/spec/state.md section 3.1).</summary>
internal static class OwnerOrder
{
    /// <summary>Tick gives what is expected after a version was shown.</summary>
    /// <param name="expected">What was set and not yet seen.</param>
    /// <param name="isShown">Whether the version is what that would make.</param>
    /// <param name="isSet">Whether the owner set it; false: an alarm.</param>
    public static ImmutableArray<T> Tick<T>(ImmutableArray<T> expected, Func<T, bool> isShown, out bool isSet)
        where T : IExpected<T>
    {
        int seen = IndexOf(expected, change => !change.IsOvertaken && isShown(change));
        isSet = seen >= 0;
        if (isSet)
        {
            return [.. expected[..seen].Select(change => change.Overtaken()), .. expected[(seen + 1)..]];
        }
        int late = IndexOf(expected, isShown);
        return late < 0 ? expected : expected.RemoveAt(late);
    }

    private static int IndexOf<T>(ImmutableArray<T> expected, Func<T, bool> matches)
    {
        for (int i = 0; i < expected.Length; i++)
        {
            if (matches(expected[i]))
            {
                return i;
            }
        }
        return -1;
    }
}
