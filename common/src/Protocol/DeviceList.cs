using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;

namespace Optiks.Protocol;

/// <summary>
/// Encodes and decodes device lists (docs/spec/users.md). A device list is a user's value in the structure <c>devices</c>, with the device
/// ids in strictly increasing byte order. The class has no state, and any thread may use it.
/// </summary>
public static class DeviceList
{
    private const uint MaxOctets = (1 << 24) - 1;
    private const int PrefixLength = 3;

    /// <summary>The order of the device ids in a list. Ids are compared byte by byte, and an id comes before the longer ids that begin with
    /// it.</summary>
    public static IComparer<ReadOnlyMemory<byte>> Order { get; } =
        Comparer<ReadOnlyMemory<byte>>.Create((one, other) => one.Span.SequenceCompareTo(other.Span));

    /// <summary>Returns the bytes of a device list.</summary>
    /// <param name="devices">The device ids, 1 to <see cref="ProtocolLimits.MaxKeyLength"/> bytes each. If they are not in
    /// <see cref="Order"/> or have duplicates, the call throws <see cref="ArgumentException"/>.</param>
    public static byte[] Encode(IReadOnlyList<ReadOnlyMemory<byte>> devices)
    {
        ArgumentNullException.ThrowIfNull(devices);
        int length = 0;
        for (int i = 0; i < devices.Count; i++)
        {
            if (devices[i].Length is 0 or > ProtocolLimits.MaxKeyLength || (i > 0 && Order.Compare(devices[i - 1], devices[i]) >= 0))
            {
                throw new ArgumentException("A device id is empty, too long, or not after the one before it.", nameof(devices));
            }
            length += 1 + devices[i].Length;
        }
        byte[] octets = new byte[PrefixLength + length];
        octets[0] = checked((byte)(length >> 16));
        BinaryPrimitives.WriteUInt16BigEndian(octets.AsSpan(1), (ushort)length);
        Span<byte> rest = octets.AsSpan(PrefixLength);
        foreach (ReadOnlyMemory<byte> device in devices)
        {
            rest[0] = (byte)device.Length;
            device.Span.CopyTo(rest[1..]);
            rest = rest[(1 + device.Length)..];
        }
        return octets;
    }

    /// <summary>
    /// Decodes a device list; the returned ids are slices of the input. Throws <see cref="EncodingException"/> if the bytes are not a list,
    /// or with <see cref="Reason.DeviceList"/> if the ids are not in <see cref="Order"/> or have duplicates.
    /// </summary>
    public static IReadOnlyList<ReadOnlyMemory<byte>> Decode(ReadOnlyMemory<byte> octets)
    {
        var reader = new TlsReader(octets);
        List<ReadOnlyMemory<byte>> devices = reader.Vector(
            0, MaxOctets, "devices", static (ref TlsReader element) => element.Vector(1, ProtocolLimits.MaxKeyLength, "device"));
        reader.End("devices");
        for (int i = 1; i < devices.Count; i++)
        {
            if (Order.Compare(devices[i - 1], devices[i]) >= 0)
            {
                throw new EncodingException(Reason.DeviceList, "devices");
            }
        }
        return devices;
    }

    /// <summary>
    /// Returns the ids of several device lists in one set, in <see cref="Order"/>. Skips elements whose bytes are not a device list.
    /// </summary>
    public static SortedSet<ReadOnlyMemory<byte>> IdsOf(IEnumerable<ReadOnlyMemory<byte>> lists)
    {
        ArgumentNullException.ThrowIfNull(lists);
        return new SortedSet<ReadOnlyMemory<byte>>(
            lists.SelectMany(octets => TryDecode(octets, out IReadOnlyList<ReadOnlyMemory<byte>>? ids) ? ids : []), Order);
    }

    /// <summary>Decodes a device list as <see cref="Decode"/> does, but returns false if the bytes are not a device list.</summary>
    public static bool TryDecode(ReadOnlyMemory<byte> octets, [NotNullWhen(true)] out IReadOnlyList<ReadOnlyMemory<byte>>? devices)
    {
        try
        {
            devices = Decode(octets);
            return true;
        }
        catch (EncodingException)
        {
            devices = null;
            return false;
        }
    }
}
