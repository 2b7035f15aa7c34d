using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Names a record of a client's state. Keys are compared octet by octet, and a prefix comes before a longer key.</summary>
internal readonly struct RecordKey : IEquatable<RecordKey>, IComparable<RecordKey>
{
    /// <summary>The largest number of octets in a key.</summary>
    public const int MaxLength = 300;

    private readonly byte[]? _octets;

    /// <summary>Copies the octets of a key.</summary>
    public RecordKey(ReadOnlySpan<byte> octets)
    {
        ArgumentOutOfRangeException.ThrowIfZero(octets.Length, nameof(octets));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(octets.Length, MaxLength, nameof(octets));
        _octets = octets.ToArray();
    }

    /// <summary>The key of the record that every state has.</summary>
    public static RecordKey Meta { get; } = new([(byte)RecordKind.Meta]);

    public ReadOnlyMemory<byte> Octets => _octets;

    public RecordKind Kind => (RecordKind)_octets![0];

    public static bool operator ==(RecordKey left, RecordKey right) => left.Equals(right);

    public static bool operator !=(RecordKey left, RecordKey right) => !left.Equals(right);

    public int CompareTo(RecordKey other) => Octets.Span.SequenceCompareTo(other.Octets.Span);

    public bool Equals(RecordKey other) => Octets.Span.SequenceEqual(other.Octets.Span);

    public override bool Equals(object? obj) => obj is RecordKey other && Equals(other);

    public override int GetHashCode()
    {
        var hash = default(HashCode);
        hash.AddBytes(Octets.Span);
        return hash.ToHashCode();
    }

    public override string ToString() => Base64UrlText.Encode(Octets.Span);
}
