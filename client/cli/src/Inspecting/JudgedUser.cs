using Optiks.Client;
using Optiks.Protocol;

namespace Optiks.Cli.Inspecting;

/// <summary>The facts that a valid answer proves about one user.</summary>
/// <param name="User">Id of the user; null if there is no such user.</param>
/// <param name="HasLeft">Whether the user has left for good.</param>
/// <param name="ListVersion">Latest version of the device list.</param>
/// <param name="Devices">Devices that a lookup shows, with their latest values.</param>
/// <param name="Lists">Versions of the list, in an answer to the owner.</param>
/// <param name="Versions">Versions of the devices' keys, in an answer to the owner.</param>
internal sealed record JudgedUser(
    ReadOnlyMemory<byte>? User, bool HasLeft, ulong ListVersion, IReadOnlyList<UserDevice> Devices, IReadOnlyList<UserListVersion> Lists,
    IReadOnlyList<UserDeviceVersions> Versions)
{
    /// <summary>The earlier users of the username, all of whom have left.</summary>
    public IReadOnlyList<EarlierUser> Earlier { get; init; } = [];
}
