using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Combines a verified answer about a key or a device list with the state of that key or list (docs/spec/state.md sections 1 and 3).
/// Lookups, histories and monitoring store the latest version in the same state, so the client checks each new answer against all earlier
/// answers.
/// </summary>
internal static class KeyRules
{
    /// <summary>
    /// Returns the state after a lookup that the verifier accepted, or the reason why the client still refuses the lookup. If the question
    /// named the known version, the verifier itself detects an answer with an older version. The question does not name the known version
    /// if the client has lost its value, or did not know that the answer would be about this key.
    /// </summary>
    /// <param name="before">The state that the client has of the key or list; null if it has no state.</param>
    /// <param name="owned">The owner's knowledge of all versions; null if the key is not owned.</param>
    /// <param name="lookup">The lookup.</param>
    /// <param name="value">Value of the lookup's version; null when there is no version.</param>
    /// <param name="period">Period of the record.</param>
    /// <param name="epoch">Epoch at which the answer is true. From now on the client accepts no earlier epoch for the key.</param>
    /// <param name="recordEpoch">Epoch of the record in whose tree the absence of later versions was proven.</param>
    /// <param name="after">The state to keep from now on.</param>
    /// <param name="reason">
    /// The reason why the client refuses the lookup; <see cref="Reason.Valid"/> if the client accepts the lookup.
    /// </param>
    public static bool TryLearn(
        KeyState? before, OwnedKey? owned, VerifiedLookup lookup, byte[]? value, ulong period, ulong epoch, ulong recordEpoch,
        out KeyState after, out Reason reason)
    {
        bool unchanged = lookup.Version > 0 && lookup.Value is null;
        after = new KeyState
        {
            LeastEpoch = epoch,
            Period = period,
            Version = lookup.Version,
            Time = lookup.Time,
            AbsentEpoch = recordEpoch,
            PublishedEpoch = unchanged ? before!.PublishedEpoch : lookup.LeafEpoch,
            ValueSha256 = unchanged ? before!.ValueSha256 : value is null ? null : ValueHash.Of(value),
        };
        reason = Compare(before, owned is null ? null : OfOwned(owned), lookup.BeginsWithCopy, ref after);
        return reason == Reason.Valid;
    }

    /// <summary>
    /// Computes the state after a complete list of versions, and returns the reason if the client still refuses the list. The kept state of
    /// a later period stays, because a list of an earlier period does not contradict it.
    /// </summary>
    /// <param name="before">The state that the client has of the key or list; null if it has no state.</param>
    /// <param name="owned">The owner's knowledge of the latest version; null if the key is not owned.</param>
    /// <param name="shown">The complete list.</param>
    /// <param name="period">Period of the record.</param>
    /// <param name="epoch">Epoch of the record.</param>
    /// <param name="after">The state to keep from now on.</param>
    public static Reason Learn(KeyState? before, KeyState? owned, EndedVersions shown, ulong period, ulong epoch, out KeyState after)
    {
        if (before is not null && before.Period > period)
        {
            after = before;
            return Agree(null, owned, shown, period);
        }
        owned = owned is not null && owned.Period > period ? null : owned;
        VersionsExchange.TimedVersion? latest = shown.Versions.Count > 0 && shown.Versions[^1].Version.Version == shown.Latest
            ? shown.Versions[^1]
            : null;
        bool isKept = before is not null && before.Period == period && before.Version == shown.Latest;
        after = new KeyState
        {
            LeastEpoch = epoch,
            Period = period,
            Version = shown.Latest,
            Time = shown.Time,
            AbsentEpoch = epoch,
            PublishedEpoch = latest?.Version.Epoch ?? (isKept ? before!.PublishedEpoch : 0),
            // If the list shows no value for the latest version, keep the known hash: a server does not send a value again that the client
            // already has.
            ValueSha256 = latest?.Version.Value is { } value ? ValueHash.Of(value.Span) : isKept ? before!.ValueSha256 : owned?.ValueSha256,
        };
        Reason reason = Compare(before, owned, shown.Versions is [{ Version.IsCopy: true }, ..], ref after);
        return reason != Reason.Valid ? reason : Agree(before, owned, shown, period);
    }

    /// <summary>
    /// Checks that the list shows each kept version unchanged. Also checks the times of versions after a kept version: such a version must
    /// be later than the epoch at which an answer proved that there was no later version.
    /// </summary>
    public static Reason Agree(KeyState? before, KeyState? owned, EndedVersions shown, ulong period) =>
        !shown.Versions.All(version => Agrees(before, period, version) && Agrees(owned, period, version)) ? Reason.VersionRegressed
        : shown.Versions.Any(version => ComesTooEarly(before, period, version) || ComesTooEarly(owned, period, version))
            ? Reason.LeafEpochOrder
        : Reason.Valid;

    /// <summary>
    /// Returns the known version that an owner names when it asks only for newer versions of a key. It names the version before its latest
    /// known one, so the server shows the latest known version again. This reveals whether the log replaced or dropped that version
    /// (docs/spec/broken-append.md section 5).
    /// </summary>
    public static KnownKey Again(OwnedKey owned) => owned.Version switch
    {
        0 => new KnownKey(0, owned.Period, 0, 0, owned.AbsentEpoch),
        1 => default,
        _ => new KnownKey(0, owned.Period, owned.Version - 1, 0, null, owned.Version),
    };

    /// <summary>Converts an owner's knowledge of all versions of a key into the state of the latest version.</summary>
    public static KeyState OfOwned(OwnedKey owned) => new()
    {
        LeastEpoch = owned.AbsentEpoch ?? 0,
        Period = owned.Period,
        Version = owned.Version,
        Time = owned.Time,
        AbsentEpoch = owned.AbsentEpoch,
        // After a period without guarantee, the owner's state has a value that belongs to no version, so leave the value out.
        ValueSha256 = owned.Version > 0 ? owned.ValueSha256 : null,
    };

    /// <summary>
    /// Tells whether a key lost its version at a period switch. A key with a version in an earlier period must begin each later period with
    /// a copy, and this period did not begin with one. If the device list of a current user has no copy, this is always a fault. If a key
    /// has no copy, this may be correct, because the key may belong to a device whose user had left by then.
    /// </summary>
    public static bool IsLost(KeyState? kept, ulong period, bool beginsWithCopy) =>
        kept is { Version: > 0 } && kept.Period < period && !beginsWithCopy;

    private static Reason Compare(KeyState? before, KeyState? owned, bool beginsWithCopy, ref KeyState after)
    {
        foreach (KeyState? kept in (KeyState?[])[before, owned])
        {
            if (kept is null)
            {
                continue;
            }
            if (after.LeastEpoch < kept.LeastEpoch)
            {
                return Reason.Stale;
            }
            // If the answer is about the period of the kept state, an earlier answer has already shown whether the log copied the key at
            // the switch.
            after = after with
            {
                NotCopied = after.NotCopied
                || (kept.Period == after.Period ? kept.NotCopied : IsLost(kept, after.Period, beginsWithCopy))
            };
            if (kept.Period != after.Period)
            {
                continue;
            }
            if (StepsBack(kept, after))
            {
                return Reason.VersionRegressed;
            }
            if (ComesTooEarly(kept, after))
            {
                return Reason.LeafEpochOrder;
            }
            if (kept.Version == after.Version && kept.AbsentEpoch is { } absent)
            {
                after = after with { AbsentEpoch = Math.Max(absent, after.AbsentEpoch ?? 0) };
            }
        }
        return Reason.Valid;
    }

    private static bool StepsBack(KeyState before, KeyState after) =>
        after.Version < before.Version
        || (after.Version == before.Version
            && (after.Time != before.Time || (before.ValueSha256 is not null && after.ValueSha256 != before.ValueSha256)));

    // An answer proved that at AbsentEpoch the key had no version after the kept version. Each later epoch inserts at most one version of a
    // key. So n later versions need at least n epochs after AbsentEpoch (docs/spec/pahd.md section 5).
    private static bool ComesTooEarly(KeyState before, KeyState after) =>
        after.Version > before.Version && before.AbsentEpoch is { } absent
        && (after.Time < absent || after.Time - absent < after.Version - before.Version);

    private static bool ComesTooEarly(KeyState? before, ulong period, VersionsExchange.TimedVersion shown) =>
        before is { AbsentEpoch: { } absent } && before.Period == period && shown.Version.Version > before.Version
        && (shown.Time < absent || shown.Time - absent < shown.Version.Version - before.Version);

    // An erased value agrees with every kept hash, because nobody can tell what the value was.
    private static bool Agrees(KeyState? kept, ulong period, VersionsExchange.TimedVersion shown) =>
        kept is null || kept.Period != period || kept.Version != shown.Version.Version
        || (kept.Time == shown.Time
            && (kept.ValueSha256 is null || shown.Version.Value is not { } value || ValueHash.Of(value.Span) == kept.ValueSha256));
}
