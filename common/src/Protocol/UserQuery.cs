namespace Optiks.Protocol;

/// <summary>Holds a query about one user, with the versions of the user that the client knows (docs/spec/rest.md section 4).</summary>
/// <param name="Username">The username, 1 to <see cref="ProtocolLimits.MaxKeyLength"/> bytes.</param>
public sealed record UserQuery(ReadOnlyMemory<byte> Username)
{
    /// <summary>The one device that the query asks for.</summary>
    /// <value>Empty: all devices.</value>
    public ReadOnlyMemory<byte> Device { get; init; }

    /// <summary>Whether the client knows the user id of the username, so that the answer omits the username's entry.</summary>
    public bool KnowsUser { get; init; }

    /// <summary>The period of the known versions; 0 without known versions.</summary>
    public ulong Period { get; init; }

    /// <summary>The known version of the device list; 0 if no version is known.</summary>
    public ulong ListVersion { get; init; }

    /// <summary>The known versions of keys, by device id in <see cref="DeviceList.Order"/>, without duplicates.</summary>
    public IReadOnlyList<KnownDeviceKey> Keys { get; init; } = [];
}
