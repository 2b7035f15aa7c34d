namespace Optiks.Settings;

/// <summary>Finds the name that was probably intended by a misspelt name.</summary>
internal static class Spelling
{
    // The greatest length of a word for which the search looks for a near name. The words come from an operator's files, and a longer word
    // cannot be a misspelt name.
    private const int MostLetters = 128;

    /// <summary>
    /// Returns the name that is nearest to a word, ignoring case; null if no name is near. A near name differs from the word in at most 3
    /// letters, and in at most a third of its letters. A letter differs if it is missing, extra, changed, or swapped with a neighbour.
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
    /// Returns the least number of letters that must be inserted, removed, changed, or swapped with a neighbour to turn one word into the
    /// other.
    /// </summary>
    internal static int Distance(string one, string other)
    {
        // The computation needs only the last three rows of the table of distances between the words' prefixes: the current row and the two
        // rows before it.
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
