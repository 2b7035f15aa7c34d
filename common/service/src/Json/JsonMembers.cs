using System.Text;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Lists the names of the members that a JSON object may have, at most 64. <see cref="StrictJsonReader.TryNextMember"/> returns a member's
/// index in this list. Immutable.
/// </summary>
public sealed class JsonMembers
{
    private const int MaxCount = 64;
    private readonly byte[][] _names;

    public JsonMembers(params string[] names)
    {
        ArgumentNullException.ThrowIfNull(names);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(names.Length, MaxCount, nameof(names));
        _names = [.. names.Select(Encoding.UTF8.GetBytes)];
    }

    internal int IndexOf(ReadOnlySpan<byte> name)
    {
        for (int i = 0; i < _names.Length; i++)
        {
            if (name.SequenceEqual(_names[i]))
            {
                return i;
            }
        }
        return -1;
    }

    public string Name(int index) => Encoding.UTF8.GetString(_names[index]);
}
