using System.Globalization;
using System.Text;

namespace Optiks.Stress;

/// <summary>
/// Makes the names and values of a run's keys. A name is a prefix and a number. A value begins with the name of its key, so that the
/// program notices a value of another key even without a proof.
/// </summary>
/// <param name="Prefix">The prefix of all names, which differs between runs that must not share keys.</param>
/// <param name="Count">The number of keys, whose numbers are 0 to <paramref name="Count"/> - 1.</param>
/// <param name="ManyCount">The number of additional keys that have many versions.</param>
/// <param name="ValueLength">The length of a value in octets. A value is longer if its key's name needs more room.</param>
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

    /// <summary>Returns whether this program could have written a value for the given key.</summary>
    public static bool Belongs(string key, ReadOnlySpan<byte> value)
    {
        byte[] start = Encoding.UTF8.GetBytes(key + " ");
        return value.StartsWith(start);
    }
}
