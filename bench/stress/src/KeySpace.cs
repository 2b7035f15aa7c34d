using System.Globalization;
using System.Text;

namespace Optiks.Stress;

/// <summary>
/// KeySpace names the keys of a run: prefix and number. Values begin with their key, so that an answer with another key's value is noticed even
/// without a proof.
/// </summary>
/// <param name="Prefix">Keeps the keys of different runs apart.</param>
/// <param name="Count">Keys with numbers 0..Count-1.</param>
/// <param name="ManyCount">Keys with many versions, besides.</param>
/// <param name="ValueLength">Octets of a value; longer where the key needs it.</param>
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

    /// <summary>Belongs says whether a value was written for a key by this program.</summary>
    public static bool Belongs(string key, ReadOnlySpan<byte> value)
    {
        byte[] start = Encoding.UTF8.GetBytes(key + " ");
        return value.StartsWith(start);
    }
}
