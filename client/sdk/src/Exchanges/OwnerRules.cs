namespace Optiks.Client;

/// <summary>OwnerRules compare what the log shows of an owner's key with what the owner set.</summary>
internal static class OwnerRules
{
    /// <summary>State after these versions, in order, were verified at a head: changes that were expected are ticked off, all others become alarms.</summary>
    public static OwnedKey Apply(OwnedKey owned, ulong period, ulong headEpoch, IReadOnlyList<VersionsExchange.TimedVersion> versions)
    {
        // State of another period says nothing about this one's versions, save that the first may be a copy of the last value.
        OwnedKey next = owned.Period == period ? owned : owned with { Period = period, Version = 0, Time = 0, AbsentEpoch = null };
        foreach ((KeyVersion version, ulong time) in versions)
        {
            string? hash = version.Value is { } value ? ValueHash.Of(value.Span) : null;
            bool isCopy = version.Epoch == 0 && period != owned.Period && owned.ValueSha256 is not null && hash == owned.ValueSha256;
            next = next with { Expected = OwnerOrder.Tick(next.Expected, change => change.ValueSha256 == hash, out bool isSet) };
            if (!isSet && !isCopy)
            {
                next = next with { Alarms = next.Alarms.Add(new OwnerAlarm(period, version.Version, version.Epoch, hash)) };
            }
            next = next with { Version = version.Version, Time = time, ValueSha256 = hash };
        }
        return next with { AbsentEpoch = Math.Max(headEpoch, next.AbsentEpoch ?? 0) };
    }

    /// <summary>State in which a change of an owned key is expected; the same state if it is already.</summary>
    public static ClientState Expect(ClientState current, KeyName key, ExpectedChange change)
    {
        OwnedKey owned = current.Owned.GetValueOrDefault(key.Id) ?? new OwnedKey();
        return owned.Expected.Any(known => known.RequestId == change.RequestId)
            ? current
            : current with { Owned = current.Owned.SetItem(key.Id, owned with { Expected = owned.Expected.Add(change), IsListedOnly = false }) };
    }

    /// <summary>State in which a request about an owned key is expected no more; the same state if it is not.</summary>
    public static ClientState Forget(ClientState current, KeyName key, Guid requestId) =>
        current.Owned.TryGetValue(key.Id, out OwnedKey? owned) && owned.Expected.Any(known => known.RequestId == requestId)
            ? current with { Owned = current.Owned.SetItem(key.Id, owned with { Expected = owned.Expected.RemoveAll(known => known.RequestId == requestId) }) }
            : current;
}
