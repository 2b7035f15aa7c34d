namespace Optiks.Settings;

/// <summary>Spelling finds what a misspelt name was to be.</summary>
internal static class Spelling
{
    // Texts of an operator's files are compared: what is longer than any name is none's misspelling, and costs nothing.
    private const int MostLetters = 128;

    /// <summary>Nearest of some names, whatever the case; null when none is near: a third of its letters at most, and 3, may be missing, too many, others, or exchanged with their neighbours.</summary>
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

    /// <summary>Distance is how many letters are to be put in, taken out, changed, or exchanged with their neighbours, to make one of the other.</summary>
    internal static int Distance(string one, string other)
    {
        // Rows of the table of prefixes: the one before the last, the last, and the present one.
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
