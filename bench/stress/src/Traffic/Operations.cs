using System.Text;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Stress.Load;
using Optiks.Stress.Settling;

namespace Optiks.Stress.Traffic;

/// <summary>Executes planned requests, and verifies their answers if the plan says so. Any thread may use it.</summary>
internal sealed class Operations
{
    private const int RecentEpochs = 256;
    private readonly TargetOptions _options;
    private readonly Target _target;
    private readonly VerifyingSessions _sessions;
    private readonly Views _views;
    private readonly Findings _findings;
    private readonly Ledger _ledger;
    private readonly TimeProvider _time;

    public Operations(TargetOptions options, Target target, VerifyingSessions sessions, Views views, Findings findings, Ledger ledger,
        TimeProvider time)
    {
        _options = options;
        _target = target;
        _sessions = sessions;
        _views = views;
        _findings = findings;
        _ledger = ledger;
        _time = time;
    }

    /// <summary>
    /// Sends the request. Reads the time with the function <paramref name="now"/> when the whole answer has arrived, and verifies the
    /// answer afterwards.
    /// </summary>
    public Task<(RequestOutcome Outcome, double Ended)> RunAsync(Planned planned, Func<double> now, CancellationToken cancellationToken) =>
        planned.Part.Kind switch
        {
            OperationKind.Hit => LookupAsync(planned, _options.Keys.Key(planned.Keys[0]), now, cancellationToken),
            OperationKind.Absent => LookupAsync(planned, _options.Keys.AbsentKey(planned.Draw), now, cancellationToken),
            OperationKind.Versions => LookupAsync(planned, _options.Keys.ManyKey(planned.Keys[0]), now, cancellationToken),
            OperationKind.History or OperationKind.Monitor => HistoryAsync(planned, now, cancellationToken),
            OperationKind.Audit => AuditAsync(planned, now, cancellationToken),
            _ => UpdateAsync(planned, now, cancellationToken),
        };

    private async Task<(RequestOutcome, double)> LookupAsync(
        Planned planned, string key, Func<double> now, CancellationToken cancellationToken)
    {
        byte[] name = Encoding.UTF8.GetBytes(key);
        Asked<VerifiedLookup?> asked = await _sessions.AskAsync<VerifiedLookup?>(
            planned.Server, new Question("/v1/lookup", MediaTypes.Lookup, QueryList.Encode([new Query(name, 0, 0)])),
            planned.Verify ? CheckLookup : null, now, cancellationToken);
        string? complaint = null;
        if (asked.Found is { } found)
        {
            bool expected = planned.Part.Kind == OperationKind.Absent
                ? found.Version == 0
                : found.Version > 0 && found.Value is { } value && KeySpace.Belongs(key, asked.Reply.Body.AsSpan(value));
            complaint = expected ? null : planned.Part.Kind == OperationKind.Absent
                ? $"{key} is said to be present"
                : $"{key} (version {found.Version}) has not the value written for it; was it prepared?";
        }
        return (Judge(planned, asked.Reason, asked.Reply, key, complaint), asked.Ended);

        (Reason, VerifiedHead?, VerifiedLookup?) CheckLookup(VerifierContext context, KeptHead? kept, byte[] answer)
        {
            using var keys = new ByteStrings(1);
            keys.Add(name);
            LookupVerdict verdict = Verifier.Lookup(context, keys, [Known(kept)], answer);
            return (verdict.Reason, verdict.Head, verdict.Reason == Reason.Valid ? verdict.Keys[0] : null);
        }
    }

    private async Task<(RequestOutcome, double)> HistoryAsync(Planned planned, Func<double> now, CancellationToken cancellationToken)
    {
        bool monitor = planned.Part.Kind == OperationKind.Monitor;
        string key = _options.Keys.Key(planned.Keys[0]);
        byte[] name = Encoding.UTF8.GetBytes(key);
        var question = new Question(
            monitor ? "/v1/monitor" : "/v1/history", monitor ? MediaTypes.Monitor : MediaTypes.History,
            QueryList.Encode([new Query(name, 0, 1)]), Authorize: true);
        Asked<VerifiedVersions> asked = await _sessions.AskAsync<VerifiedVersions>(
            planned.Server, question, planned.Verify ? CheckVersions : null, now, cancellationToken);
        string? complaint = asked.Found is { Version: 0 } ? $"{key} has no version; was it prepared?" : null;
        return (Judge(planned, asked.Reason, asked.Reply, key, complaint), asked.Ended);

        (Reason, VerifiedHead?, VerifiedVersions?) CheckVersions(VerifierContext context, KeptHead? kept, byte[] answer)
        {
            using var keys = new ByteStrings(1);
            keys.Add(name);
            VersionsVerdict verdict = Verifier.Versions(context, keys, [Known(kept)], answer);
            return (verdict.Reason, verdict.Head, verdict.Reason == Reason.Valid ? verdict.Keys[0] : null);
        }
    }

    private async Task<(RequestOutcome, double)> AuditAsync(Planned planned, Func<double> now, CancellationToken cancellationToken)
    {
        ulong latest = _views.Kept(planned.Server)?.Epoch ?? 0;
        if (latest == 0)
        {
            return (new RequestOutcome("no-epoch-yet", 0, 0), now());
        }
        ulong epoch = latest - ((ulong)planned.Draw % Math.Min(latest, RecentEpochs));
        Uri server = _options.QueryUrls[planned.Server];
        Reply reply = await _target.SendAsync(
            server, $"/v1/epochs/{epoch}/audit-proof", MediaTypes.AuditProof, null, "", authorize: false, TimeSpan.Zero, cancellationToken);
        double ended = now();
        if (reply.Error is not null || !planned.Verify)
        {
            return (Judge(planned, null, reply, "", null), ended);
        }
        // The verification of an audit proof needs the record of the previous epoch. The program requests each of these records only once,
        // outside the measured time.
        (byte[]? before, RequestOutcome failed) = await RecordAsync(server, epoch - 1, reply.Body.Length, cancellationToken);
        byte[]? start = null;
        if (before is not null)
        {
            (start, failed) = await RecordAsync(server, EpochRecord.Decode(before).PeriodFirstEpoch, reply.Body.Length, cancellationToken);
        }
        if (before is null || start is null)
        {
            return (failed, ended);
        }
        AuditVerdict verdict = Verifier.Audit(_views.Context(null), before, start, reply.Body);
        Reason reason = verdict.Reason;
        string? complaint = reason == Reason.Valid && !_views.Agrees(epoch, verdict.NewRecord.ToArray())
            ? $"epoch {epoch} ends in another record than was shown before"
            : null;
        return (Judge(planned, reason, reply, $"epoch {epoch}", complaint), ended);
    }

    // Returns the record of an epoch, or the outcome of the request for the record if that request failed.
    private async Task<(byte[]? Record, RequestOutcome Failed)> RecordAsync(
        Uri server, ulong epoch, int proofLength, CancellationToken cancellationToken)
    {
        if (_views.Record(epoch) is { } shown)
        {
            return (shown, default);
        }
        Reply reply = await _target.SendAsync(
            server, $"/v1/epochs/{epoch}", MediaTypes.Record, null, "", authorize: false, TimeSpan.Zero, cancellationToken);
        if (reply.Error is not null)
        {
            return (null, new RequestOutcome(reply.Error, 0, proofLength));
        }
        if (reply.Body.Length != EpochRecord.Length || !_views.Agrees(epoch, reply.Body))
        {
            _findings.Add($"{server}: the record of epoch {epoch} is not what was shown before");
            return (null, new RequestOutcome("invalid", 0, proofLength));
        }
        return (reply.Body, default);
    }

    private async Task<(RequestOutcome, double)> UpdateAsync(Planned planned, Func<double> now, CancellationToken cancellationToken)
    {
        UpdateItem[] items =
            [.. planned.Keys.Select(key => new UpdateItem(Guid.CreateVersion7(_time.GetUtcNow()), _options.Keys.Key(key)))];
        byte[] body = UpdateBody.Encode(items, _options.Keys, planned.Part.Kind == OperationKind.Batch);
        Reply reply = await _target.SendAsync(
            _options.UpdateUrls[planned.Server], "/v1/updates", MediaTypes.Json, body, MediaTypes.Json, authorize: true, TimeSpan.Zero,
            cancellationToken);
        double ended = now();
        if (reply.Error is null)
        {
            _ledger.Accepted(items, _time.GetTimestamp());
            return (new RequestOutcome(null, items.Length, reply.Body.Length), ended);
        }
        if (reply.Status is 0 or >= 500)
        {
            // The server may have accepted the request although no answer came. The settler therefore sends the request again under the
            // same ids after the load.
            _ledger.Uncertain(items, body, _options.UpdateUrls[planned.Server]);
        }
        return (new RequestOutcome(reply.Error, 0, reply.Body.Length), ended);
    }

    // Returns the outcome of a request. A null `reason` means that the request failed, or that its answer was not to be verified.
    private RequestOutcome Judge(Planned planned, Reason? reason, Reply reply, string subject, string? complaint)
    {
        if (reason is not { } verdict)
        {
            if (reply.Error is null)
            {
                _findings.Unverified();
            }
            return new RequestOutcome(reply.Error, 1, reply.Body.Length);
        }
        if (verdict == Reason.Stale)
        {
            // The replica shows an earlier epoch than it showed in an earlier answer, for example after a restart. An SDK would ask another
            // replica in this case, so this counts as an error and not as a false answer.
            return new RequestOutcome("stale", 0, reply.Body.Length);
        }
        if (verdict != Reason.Valid)
        {
            complaint = $"{planned.Part.Name} of {subject} from {_options.QueryUrls[planned.Server].Authority}: {verdict.Name()}";
        }
        _findings.Add(complaint);
        return new RequestOutcome(complaint is null ? null : "invalid", 1, reply.Body.Length);
    }

    private static KnownKey Known(KeptHead? kept) => new(kept?.Epoch ?? 0, 0, 0, 0, null);
}
