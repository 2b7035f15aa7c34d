using System.Globalization;

namespace Optiks.Storage;

/// <summary>The fields in the file name of a bundle of copies. Names sort in the order in which bundles are restored.</summary>
/// <param name="After">The last committed epoch.</param>
/// <param name="Period">The period that begins with the rows.</param>
/// <param name="First">Number of the first row.</param>
public readonly record struct CopyBundleName(ulong After, ulong Period, int First) : IComparable<CopyBundleName>
{
    private const string Suffix = "copies";

    /// <summary>The file's name in the folder of bundles.</summary>
    public string FileName => string.Create(CultureInfo.InvariantCulture, $"{After}.{Period}.{First}.{Suffix}");

    /// <summary>Parses a file name; returns false for other files, such as temporary ones.</summary>
    public static bool TryParse(string name, out CopyBundleName parsed)
    {
        ArgumentNullException.ThrowIfNull(name);
        parsed = default;
        string[] parts = name.Split('.');
        if (parts.Length != 4 || parts[3] != Suffix
            || !ulong.TryParse(parts[0], NumberStyles.None, CultureInfo.InvariantCulture, out ulong after)
            || !ulong.TryParse(parts[1], NumberStyles.None, CultureInfo.InvariantCulture, out ulong period)
            || !int.TryParse(parts[2], NumberStyles.None, CultureInfo.InvariantCulture, out int first))
        {
            return false;
        }
        parsed = new CopyBundleName(after, period, first);
        return name == parsed.FileName;
    }

    /// <inheritdoc/>
    public int CompareTo(CopyBundleName other) => (After, Period, First).CompareTo((other.After, other.Period, other.First));

    public static bool operator <(CopyBundleName a, CopyBundleName b) => a.CompareTo(b) < 0;

    public static bool operator <=(CopyBundleName a, CopyBundleName b) => a.CompareTo(b) <= 0;

    public static bool operator >(CopyBundleName a, CopyBundleName b) => a.CompareTo(b) > 0;

    public static bool operator >=(CopyBundleName a, CopyBundleName b) => a.CompareTo(b) >= 0;
}
