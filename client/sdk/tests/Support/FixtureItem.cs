using System.Text;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>One leaf that a log publishes.</summary>
internal sealed record FixtureItem(StructureId Structure, byte[] Key, byte[] Value)
{
    public static FixtureItem Name(string name, ReadOnlyMemory<byte> user) =>
        new(StructureId.Usernames, Encoding.UTF8.GetBytes(name), user.ToArray());

    public static FixtureItem List(ReadOnlyMemory<byte> user, params string[] devices) =>
        new(StructureId.Devices, user.ToArray(),
            DeviceList.Encode(
                [.. devices.Order(StringComparer.Ordinal).Select(device => (ReadOnlyMemory<byte>)Encoding.UTF8.GetBytes(device))]));

    public static FixtureItem Device(string device, string value) =>
        new(StructureId.Keys, Encoding.UTF8.GetBytes(device), Encoding.UTF8.GetBytes(value));

    public static FixtureItem Left(ReadOnlyMemory<byte> user) => new(StructureId.Decommissioned, user.ToArray(), [1]);
}
