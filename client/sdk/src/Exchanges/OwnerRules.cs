using System.Collections.Immutable;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Compares what the log shows of an owner's key with what the owner set.</summary>
internal static class OwnerRules
{
    /// <summary>
    /// Returns the state after these versions, in order, were verified at a head: expected changes are ticked off, all others become
    /// alarms.
    /// </summary>
    /// <param name="owned">The kept state.</param>
    /// <param name="period">Period of the head.</param>
    /// <param name="headEpoch">Its epoch.</param>
    /// <param name="versions">The versions.</param>
    /// <param name="handover">The verdict of the comparison with the end of the previous period; null if they were not compared.</param>
    public static OwnedKey Apply(OwnedKey owned, ulong period, ulong headEpoch, IReadOnlyList<VersionsExchange.TimedVersion> versions, Reason? handover = null)
    {
        // Versions that were seen before were compared then.
        versions = owned.Period == period ? [.. versions.Where(version => version.Version.Version > owned.Version)] : versions;
        // State of another period says nothing about this one's versions, except that the first may be a copy of the last value.
        string? before = owned.Version == 0 || owned.Period != period ? owned.ValueSha256 : null;
        OwnedKey next = owned.Period == period ? owned : owned with { Period = period, Version = 0, Time = 0, AbsentEpoch = null };
        // After a period without guarantee the key certainly had a version, so there must be a copy, whatever its value.
        bool isFirstLook = owned is { Version: 0, AbsentEpoch: null } && owned.Period == period;
        bool isLost = isFirstLook && before is not null && (versions.Count == 0 || !versions[0].Version.IsCopy);
        if (isLost || handover == Reason.HandoverMissing)
        {
            next = next with { Alarms = next.Alarms.Add(new OwnerAlarm(period, 0, headEpoch, null, Reason.HandoverMissing)) };
        }
        foreach ((KeyVersion version, ulong time) in versions)
        {
            string? hash = version.Value is { } value ? ValueHash.Of(value.Span) : null;
            if (!version.IsCopy)
            {
                next = next with { Expected = OwnerOrder.Tick(next.Expected, change => change.ValueSha256 == hash, out bool isSet) };
                next = isSet ? next : next with { Alarms = next.Alarms.Add(new OwnerAlarm(period, version.Version, version.Epoch, hash)) };
            }
            else if (handover is null && (hash is null || hash != before))
            {
                // The end of the previous period is not known: a copy may be of a value that was set in its last epochs.
                next = next with { Expected = OwnerOrder.Tick(next.Expected, change => change.ValueSha256 == hash, out bool isSet) };
                next = isSet ? next : next with { Alarms = next.Alarms.Add(new OwnerAlarm(period, version.Version, version.Epoch, hash)) };
            }
            else if (handover is not (null or Reason.Valid))
            {
                next = next with { Alarms = next.Alarms.Add(new OwnerAlarm(period, version.Version, version.Epoch, hash, handover)) };
            }
            next = next with { Version = version.Version, Time = time, ValueSha256 = hash };
        }
        return next with { AbsentEpoch = Math.Max(headEpoch, next.AbsentEpoch ?? 0), ValueSha256 = next.Version == 0 ? null : next.ValueSha256 };
    }

    /// <summary>
    /// Raises alarms for versions of a key whose hand-over to their period is still to come, and changes nothing else. The hand-over shows
    /// the versions again.
    /// </summary>
    public static OwnedKey Compare(OwnedKey owned, ulong period, IReadOnlyList<VersionsExchange.TimedVersion> versions)
    {
        OwnedKey next = owned;
        foreach ((KeyVersion version, _) in versions)
        {
            string? hash = version.Value is { } value ? ValueHash.Of(value.Span) : null;
            var alarm = new OwnerAlarm(period, version.Version, version.Epoch, hash);
            bool isKnown = owned.Expected.Any(change => change.ValueSha256 == hash) || (version.IsCopy && hash is not null && hash == owned.ValueSha256);
            next = isKnown || next.Alarms.Contains(alarm) ? next : next with { Alarms = next.Alarms.Add(alarm) };
        }
        return next;
    }

    /// <summary>
    /// Returns alarms about versions that were seen before and are shown again, in a list of all versions. The last one is kept and was
    /// compared; the others are no longer known. A version raises no alarm if the next version came before the epoch
    /// <paramref name="covered"/>, the first that enough auditors may cover: under their coverage nobody was shown it
    /// (docs/spec/cosigners.md section 4).
    /// </summary>
    public static IEnumerable<OwnerAlarm> SeenAgain(ulong period, ulong known, IReadOnlyList<VersionsExchange.TimedVersion> versions, ulong covered) =>
        versions.Zip(versions.Skip(1)).Where(pair => pair.First.Version.Version < known && pair.Second.Time > covered).Select(pair => pair.First.Version)
            .Select(version => new OwnerAlarm(period, version.Version, version.Epoch, version.Value is { } value ? ValueHash.Of(value.Span) : null));

    /// <summary>Returns the state of a key with the alarms of <see cref="SeenAgain"/>.</summary>
    public static OwnedKey SeeAgain(OwnedKey owned, ulong period, IReadOnlyList<VersionsExchange.TimedVersion> versions, ulong covered) =>
        owned.Period == period && SeenAgain(period, owned.Version, versions, covered).Except(owned.Alarms).ToArray() is { Length: > 0 } alarms ? owned with { Alarms = owned.Alarms.AddRange(alarms) } : owned;

    /// <summary>
    /// Returns what is known of a key at the end of a period, if it was verified up to the period's last epoch; otherwise null.
    /// </summary>
    public static EndState? EndOf(OwnedKey owned, EpochRecord end) => owned.Period == end.Period && owned.AbsentEpoch == end.Epoch && (owned.Version == 0) == (owned.ValueSha256 is null)
        ? new EndState(end.Period, end.Epoch, owned.Version, owned.ValueSha256 is { } hash ? Convert.FromHexString(hash) : default(ReadOnlyMemory<byte>))
        : null;

    /// <summary>
    /// Continues in the period after one that is no longer served, without verifying the last epochs of the ended period.
    /// </summary>
    public static OwnedKey Miss(OwnedKey owned, EpochRecord end)
    {
        NoGuarantee missed = Missed(owned.Period == end.Period ? owned.AbsentEpoch : null, end);
        return owned with
        {
            Period = end.Period + 1,
            Version = 0,
            Time = 0,
            AbsentEpoch = null,
            NoGuarantee = missed.FromEpoch > missed.ToEpoch || owned.NoGuarantee.Any(known => known.Period == end.Period) ? owned.NoGuarantee : owned.NoGuarantee.Add(missed),
        };
    }

    /// <summary>Returns the missed epochs of a period: all after the last verified one, or the whole period.</summary>
    public static NoGuarantee Missed(ulong? verified, EpochRecord end) => new(end.Period, verified + 1 ?? end.PeriodFirstEpoch, end.Epoch);

    /// <summary>Returns the state in which a change of an owned key is expected; the same state if it is already.</summary>
    public static ClientState Expect(ClientState current, KeyName key, ExpectedChange change)
    {
        // Monitoring begins at the period in which the key was first set, so that it also covers what others were shown before the owner's
        // first look.
        OwnedKey owned = current.Owned.GetValueOrDefault(key.Id) ?? new OwnedKey { Period = current.Head?.Period ?? 0 };
        return owned.Expected.Any(known => known.RequestId == change.RequestId && known.ValueSha256 == change.ValueSha256)
            ? current
            : current with { Owned = current.Owned.SetItem(key.Id, owned with { Expected = owned.Expected.Add(change), IsListedOnly = false }) };
    }

    /// <summary>
    /// Returns the state before its first head is kept. Keys and users that were requested until then continue from that head's period, the
    /// first known one.
    /// </summary>
    public static ClientState Begin(ClientState current, ulong period) => current with
    {
        Owned = current.Owned.SetItems(current.Owned.Select(key => KeyValuePair.Create(key.Key, key.Value with { Period = period }))),
        OwnedUsers = current.OwnedUsers.SetItems(current.OwnedUsers.Select(user => KeyValuePair.Create(user.Key, user.Value with { Period = period }))),
    };

    /// <summary>
    /// Returns the state without the expected changes of a request about an owned key; the same state if there are no such changes. Changes
    /// that were expected under its id already <paramref name="before"/> stay: they belong to another request.
    /// </summary>
    public static ClientState Forget(ClientState current, KeyName key, Guid requestId, ClientState? before)
    {
        ImmutableArray<ExpectedChange> earlier = before?.Owned.GetValueOrDefault(key.Id)?.Expected ?? [];
        bool IsRefused(ExpectedChange known) => known.RequestId == requestId && !earlier.Any(one => one.RequestId == requestId && one.ValueSha256 == known.ValueSha256);
        return current.Owned.TryGetValue(key.Id, out OwnedKey? owned) && owned.Expected.Any(IsRefused)
            ? current with { Owned = current.Owned.SetItem(key.Id, owned with { Expected = owned.Expected.RemoveAll(IsRefused) }) }
            : current;
    }
}
