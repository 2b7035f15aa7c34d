using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>The versions that answers showed of one device of the client's own user.</summary>
/// <param name="Name">Id of the device.</param>
/// <param name="Ended">Versions of the device's key.</param>
/// <param name="Epoch">Epoch of the last answer that showed these versions.</param>
/// <param name="Handover">
/// The verdict of comparing the key's first version in the period with the key's end state in the previous period; null if they were not
/// compared.
/// </param>
internal sealed record OwnUserDevice(KeyName Name, EndedVersions Ended, ulong Epoch, Reason? Handover);
