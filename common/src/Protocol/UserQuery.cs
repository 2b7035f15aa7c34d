namespace Optiks.Protocol;

/// <summary>UserQuery asks about one user, and says what the client keeps of the user (docs/spec/rest.md section 4).</summary>
/// <param name="Username">1 to <see cref="ProtocolLimits.MaxKeyLength"/> octets.</param>
public sealed record UserQuery(ReadOnlyMemory<byte> Username)
{
    /// <summary>Device is the one device that is asked.</summary>
    /// <value>Empty: all devices.</value>
    public ReadOnlyMemory<byte> Device { get; init; }

    /// <summary>KnowsUser says that the user id is known for the username, so that the name's entry is left out.</summary>
    public bool KnowsUser { get; init; }

    /// <summary>Period of the known versions; 0 without any.</summary>
    public ulong Period { get; init; }

    /// <summary>ListVersion is the known version of the device list; 0 for none.</summary>
    public ulong ListVersion { get; init; }

    /// <summary>Keys that are known, by device id in <see cref="DeviceList.Order"/>, none twice.</summary>
    public IReadOnlyList<KnownDeviceKey> Keys { get; init; } = [];
}
