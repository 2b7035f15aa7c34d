using Optiks.Protocol;

namespace Optiks.Client;

public sealed partial class OptiksClient
{
    /// <summary>
    /// Verifies every version of an owned key since the key was last monitored, and that no later version exists. Compares the versions
    /// with the updates that were made with this client's state. If the log has begun other periods since then, the call verifies the end
    /// of each ended period. It also verifies that the next period began with a copy of the key's value at that end (docs/spec/periods.md
    /// section 6). <see cref="MonitorResult.NoGuarantee"/> reports the periods that are no longer served. The call needs an API key or
    /// token with the scope <c>history</c>.
    /// </summary>
    public async Task<MonitorResult> MonitorAsync(ReadOnlyMemory<byte> key, CancellationToken cancellationToken = default)
    {
        var subject = new KeySubject(KeyName.Of(key, _options.TrustAnchor));
        var looks = new List<Look>();
        Outcome outcome = await LookAsync(subject, looks, null, cancellationToken).ConfigureAwait(false);
        Own? kept = _store.Current.OwnOf(subject.Chain);
        Own? after = outcome.Reason == Reason.Valid ? kept : null;
        return new MonitorResult(outcome)
        {
            Key = key,
            Version = after?.At?.Version ?? 0,
            NewVersions = after is null ? [] : [.. looks.SelectMany(look => look.NewVersions(subject.Chain))],
            HandedOver = HandedOver(looks),
            NoGuarantee = kept?.NoGuarantee ?? [],
            Alarms = after is null ? [] : after.Alarms,
            Pending = after?.Expected.Count(change => !change.IsOvertaken) ?? 0,
            Overtaken = after?.Expected.Count(change => change.IsOvertaken) ?? 0,
        };
    }
}
