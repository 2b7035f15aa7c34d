using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>The versions that answers showed of one device of the client's own user.</summary>
/// <param name="Name">Its id.</param>
/// <param name="Ended">Versions of its key.</param>
/// <param name="Epoch">Epoch of the last answer that showed them.</param>
/// <param name="Handover">The verdict of the comparison with the end of the previous period; null if they were not compared.</param>
internal sealed record OwnUserDevice(KeyName Name, EndedVersions Ended, ulong Epoch, Reason? Handover);
