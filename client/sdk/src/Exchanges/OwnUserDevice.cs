namespace Optiks.Client;

/// <summary>OwnUserDevice is what was shown of one device of one's own user.</summary>
/// <param name="Name">Its id.</param>
/// <param name="Ended">Versions of its key.</param>
/// <param name="Epoch">Epoch of the last answer that showed them.</param>
internal sealed record OwnUserDevice(KeyName Name, EndedVersions Ended, ulong Epoch);
