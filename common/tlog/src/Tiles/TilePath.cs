using System.Globalization;
using System.Text;

namespace Optiks.Tlog;

/// <summary>
/// Names a full or partial hash tile or entry bundle (C2SP tlog-tiles). Callers make a path with <see cref="Hashes"/>,
/// <see cref="Entries"/> or <see cref="TryParse"/>; the default value is not a path.
/// </summary>
public readonly record struct TilePath
{
    /// <summary>The number of hashes in a full tile, and the number of entries in a full bundle.</summary>
    public const int FullWidth = 256;

    /// <summary>The highest tile level that a path may name.</summary>
    public const int MaxLevel = 63;

    private const string Root = "tile/";
    private const string EntriesName = "entries";
    private const string PartialSuffix = ".p";

    private TilePath(bool isEntries, int level, ulong index, int width)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(level);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(level, MaxLevel);
        ArgumentOutOfRangeException.ThrowIfLessThan(width, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(width, FullWidth);
        IsEntries = isEntries;
        Level = level;
        Index = index;
        Width = width;
    }

    /// <summary>Whether the path names an entry bundle, not a hash tile.</summary>
    public bool IsEntries { get; }

    /// <summary>The level of a hash tile, whose hashes are the roots of subtrees of 256^Level leaves each; 0 for a bundle.</summary>
    public int Level { get; }

    /// <summary>The index of the tile among the tiles of its level, or of the bundle among the bundles.</summary>
    public ulong Index { get; }

    /// <summary>The number of hashes in the tile, or of entries in the bundle, 1 to 256.</summary>
    public int Width { get; }

    /// <summary>Whether the tile or bundle is full, so that it never grows.</summary>
    public bool IsFull => Width == FullWidth;

    /// <summary>Returns the path of a hash tile. Throws if the level is above 63 or the width is outside 1..256.</summary>
    public static TilePath Hashes(int level, ulong index, int width = FullWidth) => new(false, level, index, width);

    /// <summary>Returns the path of an entry bundle. Throws if the width is outside 1..256.</summary>
    public static TilePath Entries(ulong index, int width = FullWidth) => new(true, 0, index, width);

    /// <summary>Returns the path of the same tile when it is full.</summary>
    public TilePath Full() => new(IsEntries, Level, Index, FullWidth);

    /// <summary>Returns the path, below the log's prefix, of the folder with the partial forms of the same tile.</summary>
    public string PartialFolder() => $"{Full()}{PartialSuffix}";

    /// <summary>Parses the path of a tile below the log's prefix, such as "tile/0/x001/234/067.p/5". Each tile has only one accepted
    /// path.</summary>
    public static bool TryParse(string path, out TilePath tile)
    {
        ArgumentNullException.ThrowIfNull(path);
        tile = default;
        if (!path.StartsWith(Root, StringComparison.Ordinal))
        {
            return false;
        }
        int slash = path.IndexOf('/', Root.Length);
        if (slash < 0)
        {
            return false;
        }
        string kind = path[Root.Length..slash];
        bool isEntries = string.Equals(kind, EntriesName, StringComparison.Ordinal);
        int level = 0;
        if (!isEntries && !TryParseSmall(kind, MaxLevel, out level))
        {
            return false;
        }
        string rest = path[(slash + 1)..];
        int width = FullWidth;
        int partial = rest.IndexOf(PartialSuffix + "/", StringComparison.Ordinal);
        if (partial >= 0)
        {
            if (!TryParseSmall(rest[(partial + 3)..], FullWidth - 1, out width) || width == 0)
            {
                return false;
            }
            rest = rest[..partial];
        }
        if (!TryParseIndex(rest, out ulong index))
        {
            return false;
        }
        tile = new TilePath(isEntries, level, index, width);
        return true;
    }

    /// <summary>Returns the path below the log's prefix.</summary>
    public override string ToString()
    {
        var index = new StringBuilder((Index % 1000).ToString("000", CultureInfo.InvariantCulture));
        for (ulong rest = Index / 1000; rest > 0; rest /= 1000)
        {
            index.Insert(0, string.Create(CultureInfo.InvariantCulture, $"x{rest % 1000:000}/"));
        }
        string kind = IsEntries ? EntriesName : Level.ToString(CultureInfo.InvariantCulture);
        string partial = IsFull ? "" : string.Create(CultureInfo.InvariantCulture, $"{PartialSuffix}/{Width}");
        return $"{Root}{kind}/{index}{partial}";
    }

    // Parses a decimal number without leading zeros.
    private static bool TryParseSmall(string text, int max, out int value)
    {
        value = 0;
        if (!StrictText.TryParseDecimal(Encoding.UTF8.GetBytes(text), out ulong parsed) || parsed > (ulong)max)
        {
            return false;
        }
        value = (int)parsed;
        return true;
    }

    private static bool TryParseIndex(string text, out ulong index)
    {
        index = 0;
        string[] groups = text.Split('/');
        for (int i = 0; i < groups.Length; i++)
        {
            bool isLast = i == groups.Length - 1;
            ReadOnlySpan<char> digits = groups[i];
            if (!isLast)
            {
                if (!digits.StartsWith('x'))
                {
                    return false;
                }
                digits = digits[1..];
            }
            if (digits.Length != 3 || digits.ContainsAnyExceptInRange('0', '9'))
            {
                return false;
            }
            ulong group = ulong.Parse(digits, NumberStyles.None, CultureInfo.InvariantCulture);

            // Refuses a path whose first group is zeros, because "x000/001" would be a second name for "001".
            if ((i == 0 && !isLast && group == 0) || index > (ulong.MaxValue - group) / 1000)
            {
                return false;
            }
            index = (index * 1000) + group;
        }
        return true;
    }
}
