namespace Optiks.Settings;

/// <summary>Finds the intended name for a misspelt one.</summary>
internal static class Spelling
{
    // The words come from an operator's files: a longer word than this cannot be a misspelt name, so the search skips it and saves the
    // work.
    private const int MostLetters = 128;

    /// <summary>
    /// Returns the nearest of some names, ignoring case; null if no name is near. A near name differs in at most 3 letters, and in at most
    /// a third of its letters. A letter differs if it is missing, extra, changed, or swapped with a neighbour.
    /// </summary>
    public static string? Nearest(string word, IEnumerable<string> names)
    {
        if (word.Length > MostLetters)
        {
            return null;
        }
        string? nearest = null;
        int least = int.MaxValue;
        foreach (string name in names)
        {
            int distance = Distance(word.ToUpperInvariant(), name.ToUpperInvariant());
            if (distance < least && distance <= Math.Clamp(name.Length / 3, 1, 3))
            {
                (nearest, least) = (name, distance);
            }
        }
        return nearest;
    }

    /// <summary>
    /// Returns how many letters must be inserted, removed, changed, or swapped with a neighbour to turn one word into the other.
    /// </summary>
    internal static int Distance(string one, string other)
    {
        // Three rows of the table of distances between prefixes: the row before the previous one, the previous row, and the current row.
        int[] before = new int[other.Length + 1];
        int[] last = [.. Enumerable.Range(0, other.Length + 1)];
        int[] row = new int[other.Length + 1];
        for (int i = 1; i <= one.Length; i++)
        {
            row[0] = i;
            for (int j = 1; j <= other.Length; j++)
            {
                int changed = last[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
                row[j] = Math.Min(changed, Math.Min(last[j], row[j - 1]) + 1);
                if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
                {
                    row[j] = Math.Min(row[j], before[j - 2] + 1);
                }
            }
            (before, last, row) = (last, row, before);
        }
        return last[other.Length];
    }
}
