using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// A result about a subject: everything that its pages showed. A subject is a key, or a user's device list with the keys of all devices
/// that were on it.
/// </summary>
/// <param name="Subject">The chain of the key or of the list.</param>
/// <param name="Epoch">Epoch of the last answer.</param>
/// <param name="Period">Period of the last answer.</param>
/// <param name="Chains">The versions of each chain; no chain if the subject is a user who has left.</param>
internal sealed record ShownVersions(
    StructureKey Subject, ulong Epoch, ulong Period, IReadOnlyDictionary<StructureKey, ShownChain> Chains)
{
    /// <summary>Octets of the latest version of the device list; empty for a key.</summary>
    public ReadOnlyMemory<byte> LatestList { get; init; }

    /// <summary>
    /// The earliest epoch at which a server showed any part of the result. It is earlier than the epoch of the last answer if that answer
    /// left out parts that earlier answers had shown.
    /// </summary>
    public ulong Proven { get; init; }

    /// <summary>Whether the result includes all versions of the period, including those that earlier monitoring answers showed.</summary>
    public bool IsShownAgain { get; init; }

    /// <summary>Whether the subject is a user who has left; servers then show nothing more of the user.</summary>
    public bool HasLeft => Chains.Count == 0;

    /// <summary>The latest version of the subject's own chain; 0 if it has no version.</summary>
    public ulong Latest => Chains.GetValueOrDefault(Subject)?.Ended.Latest ?? 0;

    /// <summary>Whether the subject's own chain, and all other chains that were compared, are true copies of their end states.</summary>
    public bool IsHandedOver => Chains.GetValueOrDefault(Subject)?.Handover == Reason.Valid
        && Chains.Values.All(chain => chain.Handover is null or Reason.Valid);

    /// <summary>
    /// Returns the versions of a chain after a version, without the copy at the start of the period if it is the correct one: such a copy
    /// is no news to an owner.
    /// </summary>
    public IEnumerable<KeyVersion> VersionsAfter(StructureKey chain, ulong version) => Chains.GetValueOrDefault(chain) is not { } shown
        ? []
        : shown.Ended.Versions.Select(timed => timed.Version)
            .Where(one => one.Version > version && !(one.IsCopy && shown.Handover == Reason.Valid));
}
