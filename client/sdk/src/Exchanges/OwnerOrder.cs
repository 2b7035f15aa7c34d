using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>Ticks off the changes that an owner made, in the order in which the owner made them (docs/spec/state.md section 3.1).</summary>
internal static class OwnerOrder
{
    /// <summary>Returns the changes that are still expected after a version was shown.</summary>
    /// <param name="expected">Changes that the owner made and that the log has not shown yet.</param>
    /// <param name="isShown">Tells whether a change has the same content as the version that was shown.</param>
    /// <param name="isSet">Whether the owner made the change that the version shows. If not, the caller raises an alarm.</param>
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
