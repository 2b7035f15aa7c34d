using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>The verified part of an answer about one user.</summary>
/// <param name="Kind">The kind of answer.</param>
/// <param name="User">Id of the user; null when there is no such user.</param>
/// <param name="Epoch">Epoch at which all parts of the answer are true.</param>
/// <param name="List">The device list, as remembered from now on; null unless the user is current.</param>
/// <param name="Devices">Devices in the order of the list.</param>
internal sealed record UserAnswer(UserKind Kind, ReadOnlyMemory<byte>? User, ulong Epoch, Seen? List, IReadOnlyList<UserDevice> Devices)
{
    /// <summary>The time of the record of the epoch that the property <see cref="Epoch"/> names.</summary>
    public ulong TimeMs { get; init; }

    /// <summary>Earlier users of the name, all of whom have left.</summary>
    public IReadOnlyList<EarlierUser> Earlier { get; init; } = [];
}
