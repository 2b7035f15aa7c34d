namespace Optiks.Protocol;

/// <summary>Holds a query about one user, with the versions of the user that the client knows (docs/spec/rest.md section 4).</summary>
/// <param name="Username">The username, 1 to <see cref="ProtocolLimits.MaxKeyLength"/> bytes.</param>
public sealed record UserQuery(ReadOnlyMemory<byte> Username)
{
    /// <summary>The one device that the query asks for.</summary>
    /// <value>The default is empty, which asks for all devices.</value>
    public ReadOnlyMemory<byte> Device { get; init; }

    /// <summary>Whether the client knows the user id to which the username leads. If it does, the answer omits the username's
    /// entry.</summary>
    public bool KnowsUser { get; init; }

    /// <summary>The period of the versions that the client knows; 0 if it knows no versions.</summary>
    public ulong Period { get; init; }

    /// <summary>The version of the device list that the client knows; 0 if it knows no version.</summary>
    public ulong ListVersion { get; init; }

    /// <summary>The versions of devices' keys that the client knows, ordered by device id in <see cref="DeviceList.Order"/>, without
    /// duplicates.</summary>
    public IReadOnlyList<KnownDeviceKey> Keys { get; init; } = [];
}
