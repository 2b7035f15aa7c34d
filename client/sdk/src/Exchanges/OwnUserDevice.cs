using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>The versions that answers showed of one device of the client's own user.</summary>
/// <param name="Name">Id of the device.</param>
/// <param name="Ended">Versions of the device's key.</param>
/// <param name="Epoch">Epoch of the last answer that showed these versions.</param>
/// <param name="Handover">The verdict of the comparison with the end of the previous period; null if the versions were not compared with
/// it.</param>
internal sealed record OwnUserDevice(KeyName Name, EndedVersions Ended, ulong Epoch, Reason? Handover);
