using System.Collections.Immutable;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Compares what the log shows of an owner's key with what the owner set.</summary>
internal static class OwnerRules
{
    /// <summary>
    /// Returns the state after the client verified these versions at a head. It ticks off the expected changes in order, and raises an
    /// alarm for every other version.
    /// </summary>
    /// <param name="owned">The owner's state of the key.</param>
    /// <param name="period">Period of the head.</param>
    /// <param name="headEpoch">Epoch of the head.</param>
    /// <param name="versions">The versions that the client verified.</param>
    /// <param name="handover">
    /// The verdict of comparing the key's first version in the period with the key's end state in the previous period; null if they were
    /// not compared.
    /// </param>
    public static OwnedKey Apply(
        OwnedKey owned, ulong period, ulong headEpoch, IReadOnlyList<VersionsExchange.TimedVersion> versions, Reason? handover = null)
    {
        // Skip the versions that earlier monitoring answers showed, because the client has already compared these versions with the owner's
        // changes.
        versions = owned.Period == period ? [.. versions.Where(version => version.Version.Version > owned.Version)] : versions;
        // The state of another period says nothing about the versions of this period, except that the first version may be a copy of the
        // last value.
        string? before = owned.Version == 0 || owned.Period != period ? owned.ValueSha256 : null;
        OwnedKey next = owned.Period == period ? owned : owned with { Period = period, Version = 0, Time = 0, AbsentEpoch = null };
        // The previous period may have no guarantee. Even then, a key of which the owner has seen a version must begin this period with a
        // copy, which may have any value.
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
                // The client does not know the end of the previous period, so the copy may have a value that the owner set in that period's
                // last epochs.
                next = next with { Expected = OwnerOrder.Tick(next.Expected, change => change.ValueSha256 == hash, out bool isSet) };
                next = isSet ? next : next with { Alarms = next.Alarms.Add(new OwnerAlarm(period, version.Version, version.Epoch, hash)) };
            }
            else if (handover is not (null or Reason.Valid))
            {
                next = next with { Alarms = next.Alarms.Add(new OwnerAlarm(period, version.Version, version.Epoch, hash, handover)) };
            }
            next = next with { Version = version.Version, Time = time, ValueSha256 = hash };
        }
        return next with
        {
            AbsentEpoch = Math.Max(headEpoch, next.AbsentEpoch ?? 0),
            ValueSha256 = next.Version == 0 ? null : next.ValueSha256,
        };
    }

    /// <summary>
    /// Raises alarms for versions that the owner did not set, and changes nothing else. The versions are of a period for which the key's
    /// hand-over is still to be done. The hand-over will show the versions again.
    /// </summary>
    public static OwnedKey Compare(OwnedKey owned, ulong period, IReadOnlyList<VersionsExchange.TimedVersion> versions)
    {
        OwnedKey next = owned;
        foreach ((KeyVersion version, _) in versions)
        {
            string? hash = version.Value is { } value ? ValueHash.Of(value.Span) : null;
            var alarm = new OwnerAlarm(period, version.Version, version.Epoch, hash);
            bool isKnown = owned.Expected.Any(change => change.ValueSha256 == hash)
                || (version.IsCopy && hash is not null && hash == owned.ValueSha256);
            next = isKnown || next.Alarms.Contains(alarm) ? next : next with { Alarms = next.Alarms.Add(alarm) };
        }
        return next;
    }

    /// <summary>
    /// Returns alarms about versions that earlier monitoring answers showed and that a list of all versions now shows again. The state has
    /// only the last of these versions, so the client cannot tell whether the others are as they were when the client first saw them. A
    /// version raises no alarm if the next version existed by the epoch passed as <paramref name="covered"/>, which is the first epoch that
    /// enough auditors may cover. Since the auditors' coverage began, no server can have shown such a version as the latest one
    /// (docs/spec/cosigners.md section 4).
    /// </summary>
    public static IEnumerable<OwnerAlarm> SeenAgain(
        ulong period, ulong known, IReadOnlyList<VersionsExchange.TimedVersion> versions, ulong covered) =>
        versions.Zip(versions.Skip(1)).Where(pair => pair.First.Version.Version < known && pair.Second.Time > covered)
            .Select(pair => pair.First.Version)
            .Select(version => new OwnerAlarm(
                period, version.Version, version.Epoch, version.Value is { } value ? ValueHash.Of(value.Span) : null));

    /// <summary>Adds the alarms that <see cref="SeenAgain"/> returns to the state of a key, and returns the new state.</summary>
    public static OwnedKey SeeAgain(OwnedKey owned, ulong period, IReadOnlyList<VersionsExchange.TimedVersion> versions, ulong covered) =>
        owned.Period == period && SeenAgain(period, owned.Version, versions, covered)
            .Except(owned.Alarms).ToArray() is { Length: > 0 } alarms ? owned with { Alarms = owned.Alarms.AddRange(alarms) } : owned;

    /// <summary>
    /// Returns the end state of a key at the end of a period, if the owner verified the key up to the period's last epoch; otherwise null.
    /// </summary>
    public static EndState? EndOf(OwnedKey owned, EpochRecord end) =>
        owned.Period == end.Period && owned.AbsentEpoch == end.Epoch && (owned.Version == 0) == (owned.ValueSha256 is null)
        ? new EndState(end.Period, end.Epoch, owned.Version,
            owned.ValueSha256 is { } hash ? Convert.FromHexString(hash) : default(ReadOnlyMemory<byte>))
        : null;

    /// <summary>
    /// Makes the client continue in the next period after a period that the log no longer serves. The owner does not verify the last epochs
    /// of the ended period.
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
            NoGuarantee = missed.FromEpoch > missed.ToEpoch || owned.NoGuarantee.Any(known => known.Period == end.Period)
                ? owned.NoGuarantee
                : owned.NoGuarantee.Add(missed),
        };
    }

    /// <summary>Returns the missed epochs of a period: all epochs after the last verified epoch, or the whole period.</summary>
    public static NoGuarantee Missed(ulong? verified, EpochRecord end) => new(end.Period, verified + 1 ?? end.PeriodFirstEpoch, end.Epoch);

    /// <summary>
    /// Returns the state with the change of an owned key among the key's expected changes; the unchanged state if the change is already
    /// expected.
    /// </summary>
    public static ClientState Expect(ClientState current, KeyName key, ExpectedChange change)
    {
        // Monitoring begins at the period in which the key was first set. So it also covers what servers showed other clients before the
        // owner monitored the key for the first time.
        OwnedKey owned = current.Owned.GetValueOrDefault(key.Id) ?? new OwnedKey { Period = current.Head?.Period ?? 0 };
        return owned.Expected.Any(known => known.RequestId == change.RequestId && known.ValueSha256 == change.ValueSha256)
            ? current
            : current with
            {
                Owned = current.Owned.SetItem(
                key.Id, owned with { Expected = owned.Expected.Add(change), IsListedOnly = false })
            };
    }

    /// <summary>
    /// Prepares the state for its first head. Owned keys and users in the state continue from the period of that head, the first known
    /// period.
    /// </summary>
    public static ClientState Begin(ClientState current, ulong period) => current with
    {
        Owned = current.Owned.SetItems(current.Owned.Select(key => KeyValuePair.Create(key.Key, key.Value with { Period = period }))),
        OwnedUsers = current.OwnedUsers.SetItems(
            current.OwnedUsers.Select(user => KeyValuePair.Create(user.Key, user.Value with { Period = period }))),
    };

    /// <summary>
    /// Returns the state without the expected changes of a request about an owned key; the unchanged state if there are no such changes. A
    /// change stays if the state passed as <paramref name="before"/> already has it among the expected changes under this request id. Such
    /// a change belongs to an earlier request with the same id.
    /// </summary>
    public static ClientState Forget(ClientState current, KeyName key, Guid requestId, ClientState? before)
    {
        ImmutableArray<ExpectedChange> earlier = before?.Owned.GetValueOrDefault(key.Id)?.Expected ?? [];
        bool IsRefused(ExpectedChange known) =>
            known.RequestId == requestId && !earlier.Any(one => one.RequestId == requestId && one.ValueSha256 == known.ValueSha256);
        return current.Owned.TryGetValue(key.Id, out OwnedKey? owned) && owned.Expected.Any(IsRefused)
            ? current with { Owned = current.Owned.SetItem(key.Id, owned with { Expected = owned.Expected.RemoveAll(IsRefused) }) }
            : current;
    }
}
