using System.Globalization;
using System.Text;

namespace Optiks.Stress;

/// <summary>
/// Names the keys of a run, each by a prefix and a number. A value begins with its key, so that the program notices another key's value
/// even without a proof.
/// </summary>
/// <param name="Prefix">Prefix that keeps the keys of different runs apart.</param>
/// <param name="Count">The number of keys. Their numbers are 0 to <paramref name="Count"/> - 1.</param>
/// <param name="ManyCount">The number of additional keys that have many versions.</param>
/// <param name="ValueLength">Length of a value in octets; a value is longer if its key needs more room.</param>
internal sealed record KeySpace(string Prefix, int Count, int ManyCount, int ValueLength)
{
    public string Key(int number) => string.Create(CultureInfo.InvariantCulture, $"{Prefix}{number}");

    public string ManyKey(int number) => string.Create(CultureInfo.InvariantCulture, $"{Prefix}many-{number}");

    public string AbsentKey(long number) => string.Create(CultureInfo.InvariantCulture, $"{Prefix}absent-{number:x}");

    public string Value(string key, Guid requestId)
    {
        string value = string.Create(CultureInfo.InvariantCulture, $"{key} {requestId:N} ");
        return value.PadRight(ValueLength, '.');
    }

    /// <summary>Tells whether a value is one that this program writes for the given key.</summary>
    public static bool Belongs(string key, ReadOnlySpan<byte> value)
    {
        byte[] start = Encoding.UTF8.GetBytes(key + " ");
        return value.StartsWith(start);
    }
}
