namespace Optiks.Client;

/// <summary>UserListVersion is one verified version of a device list.</summary>
/// <param name="Version">1, 2, ...</param>
/// <param name="Epoch">Epoch that inserted it; 0 for a copy made at a period's start.</param>
/// <param name="Devices">Ids on it, in order; null when it was erased.</param>
public sealed record UserListVersion(ulong Version, ulong Epoch, IReadOnlyList<ReadOnlyMemory<byte>>? Devices)
{
    /// <summary>Period of the version: each has versions 1, 2, ... of its own.</summary>
    public ulong Period { get; init; }

    /// <summary>IsCopy: the period began with it, as the copy of the list that the one before ended with.</summary>
    public bool IsCopy => Version == 1 && Epoch == 0;
}
