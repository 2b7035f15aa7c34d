using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>OwnUserDevice is what was shown of one device of one's own user.</summary>
/// <param name="Name">Its id.</param>
/// <param name="Ended">Versions of its key.</param>
/// <param name="Epoch">Epoch of the last answer that showed them.</param>
/// <param name="Handover">What the comparison with the end of the period before said; null: there was none.</param>
internal sealed record OwnUserDevice(KeyName Name, EndedVersions Ended, ulong Epoch, Reason? Handover);
