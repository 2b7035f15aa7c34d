using Optiks.Protocol;

namespace Optiks.Client;

public sealed partial class OptiksClient
{
    /// <summary>OwnedKeys that were updated or monitored with this state.</summary>
    public IReadOnlyList<ReadOnlyMemory<byte>> OwnedKeys =>
        [.. _store.Current.Owned.Where(key => !key.Value.IsListedOnly).Select(key => key.Key).Order(StringComparer.Ordinal).Select(KeyName.FromId)];

    /// <summary>
    /// ReviewAlarmsAsync shows the alarms of an owned key that were raised before this call with the versions that they are of, as the log has them: what its owner looks at before
    /// <see cref="AcknowledgeAlarms"/>. Needs an API key or token with the scope history. Without alarms nothing is asked.
    /// </summary>
    public async Task<AlarmReview> ReviewAlarmsAsync(ReadOnlyMemory<byte> key, CancellationToken cancellationToken = default)
    {
        KeyName name = KeyName.Of(key, _options.TrustAnchor);
        OwnerAlarm[] held = [.. (_store.Current.Owned.GetValueOrDefault(name.Id) ?? new OwnedKey()).Alarms.OrderBy(alarm => alarm.Period).ThenBy(alarm => alarm.Version)];
        if (held.Length == 0)
        {
            return new AlarmReview(new Outcome(Reason.Valid, null)) { Key = key };
        }
        KeyVersionNumber[] versions = [.. held.Select(alarm => new KeyVersionNumber(alarm.Period, alarm.Version)).Distinct()];
        VersionsRun run = await FindVersionsAsync(name, versions, 0, cancellationToken).ConfigureAwait(false);
        var shown = new List<ReviewedAlarm>();
        foreach (OwnerAlarm alarm in held)
        {
            if (run.Versions.FirstOrDefault(timed => timed.Version.Version == alarm.Version)?.Version is { } version && IsOf(alarm, version))
            {
                shown.Add(new ReviewedAlarm(alarm, version));
            }
        }
        return new AlarmReview(run.Outcome) { Key = key, Alarms = run.Outcome.Reason == Reason.Valid ? shown : [] };
    }

    /// <summary>AcknowledgeAlarms ends these alarms of an owned key, and no other: its owner says that it knows of the versions. Returns how many there were.</summary>
    public int AcknowledgeAlarms(ReadOnlyMemory<byte> key, IReadOnlyCollection<OwnerAlarm> alarms)
    {
        ArgumentNullException.ThrowIfNull(alarms);
        KeyName name = KeyName.Of(key, _options.TrustAnchor);
        int count = 0;
        _store.TryUpdate(
            current =>
            {
                if (!current.Owned.TryGetValue(name.Id, out OwnedKey? owned))
                {
                    return current;
                }
                OwnedKey after = owned with { Alarms = owned.Alarms.RemoveAll(alarms.Contains) };
                count = owned.Alarms.Length - after.Alarms.Length;
                return count == 0 ? current : OwnedUserRules.Tidy(current with { Owned = current.Owned.SetItem(name.Id, after) });
            },
            []);
        return count;
    }

    // A value that was erased since is shown as such: there is nothing else that anyone could ever show.
    private static bool IsOf(OwnerAlarm alarm, KeyVersion version) =>
        alarm.Epoch == version.Epoch && (version.Value is not { } value || alarm.ValueSha256 is null || ValueHash.Of(value.Span) == alarm.ValueSha256);
}
