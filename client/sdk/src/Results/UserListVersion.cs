namespace Optiks.Client;

/// <summary>One verified version of a device list.</summary>
/// <param name="Version">Number of the version: 1, 2, ...</param>
/// <param name="Epoch">Epoch that inserted the version; 0 for a copy made at a period's start.</param>
/// <param name="Devices">Device ids on the list, in order; null when the list was erased.</param>
public sealed record UserListVersion(ulong Version, ulong Epoch, IReadOnlyList<ReadOnlyMemory<byte>>? Devices)
{
    /// <summary>The period of the version. Each period has its own versions 1, 2, ...</summary>
    public ulong Period { get; init; }

    /// <summary>Whether the period began with this version, as the copy of the list with which the previous period ended.</summary>
    public bool IsCopy => Version == 1 && Epoch == 0;
}
