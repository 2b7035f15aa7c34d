using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Stress.Traffic;

/// <summary>
/// Sends questions to replicas, and verifies each answer against the head that the same replica showed last. If an answer is of a later
/// period than the kept head, the class follows the log to that period by the bounds of periods (docs/spec/periods.md section 4), as the
/// SDK does, and asks again. Any thread may use it.
/// </summary>
internal sealed class VerifyingSessions
{
    private readonly TargetOptions _options;
    private readonly Target _target;
    private readonly Views _views;

    public VerifyingSessions(TargetOptions options, Target target, Views views)
    {
        _options = options;
        _target = target;
        _views = views;
    }

    /// <summary>
    /// Sends a question to a replica. If the answer is of another period than the replica's kept head, follows the log and asks again.
    /// </summary>
    /// <param name="replica">The number of the replica.</param>
    /// <param name="question">The question.</param>
    /// <param name="check">The function that verifies the answer; null if the answer is not to be verified.</param>
    /// <param name="now">The run's clock. The method reads it when a whole answer has arrived, before it verifies the answer.</param>
    /// <param name="cancellationToken">Ends the request.</param>
    public async Task<Asked<T>> AskAsync<T>(
        int replica, Question question, Check<T>? check, Func<double> now, CancellationToken cancellationToken)
    {
        while (true)
        {
            KeptHead? kept = _views.Kept(replica);
            Reply reply = await SendAsync(replica, question, kept, cancellationToken);
            double ended = now();
            if (reply.Error is not null || check is null)
            {
                return new(reply, ended, null, default);
            }
            VerifierContext context = _views.Context(kept);
            (Reason reason, VerifiedHead? head, T? found) = check(context, kept, reply.Body);
            if (Verifier.OtherPeriod(context, reason, reply.Body) is { } period)
            {
                if (period < kept!.Period)
                {
                    return new(reply, ended, JudgeBehind(reply.Body), default);
                }
                (Reply bounds, Reason? followed) = await FollowAsync(replica, kept, period, cancellationToken);
                if (bounds.Error is not null || followed != Reason.Valid)
                {
                    return new(bounds, now(), followed, default);
                }
                continue;
            }
            if (reason == Reason.Valid)
            {
                reason = _views.Learn(replica, head!, reply.Body);
            }
            return new(reply, ended, reason, reason == Reason.Valid ? found : default);
        }
    }

    /// <summary>
    /// Reads and verifies the bounds of the periods, from the period of a kept head on. The reason is null if the reply has an error.
    /// </summary>
    public async Task<(Reply Reply, Reason? Reason)> AskPeriodsAsync(int replica, KeptHead kept, CancellationToken cancellationToken)
    {
        Reply reply = await SendAsync(
            replica, new Question($"/v1/periods?from={kept.Period}", MediaTypes.Periods), kept, cancellationToken);
        if (reply.Error is not null)
        {
            return (reply, null);
        }
        PeriodsVerdict verdict = Verifier.Periods(_views.Context(kept), kept.Period, reply.Body);
        return (reply, verdict.Reason == Reason.Valid ? _views.Learn(replica, verdict, reply.Body) : verdict.Reason);
    }

    // Follows the log from the period of a kept head at least to the given period, which the replica has shown.
    private async Task<(Reply Reply, Reason? Reason)> FollowAsync(
        int replica, KeptHead kept, ulong period, CancellationToken cancellationToken)
    {
        if (_views.Kept(replica)!.Period >= period)
        {
            // Another question has followed the log to that period in the meantime.
            return (default, Reason.Valid);
        }
        (Reply reply, Reason? reason) = await AskPeriodsAsync(replica, kept, cancellationToken);
        return (reply, reason == Reason.Valid && _views.Kept(replica)!.Period < period ? Reason.Stale : reason);
    }

    // Judges an answer of an earlier period than the period of the kept head. If the answer's record equals the known record of its epoch,
    // the replica is only behind; otherwise the log has forked.
    private Reason JudgeBehind(ReadOnlyMemory<byte> answer)
    {
        ReadOnlySpan<byte> record = answer.Span[..EpochRecord.Length];
        return _views.Agrees(EpochRecord.ReadEpoch(record), record) ? Reason.Stale : Reason.Fork;
    }

    private Task<Reply> SendAsync(int replica, Question question, KeptHead? kept, CancellationToken cancellationToken)
    {
        string path =
            $"{question.Path}{(question.Path.Contains('?', StringComparison.Ordinal) ? '&' : '?')}checkpoint_size={kept?.Size ?? 0}";
        return _target.SendAsync(
            _options.QueryUrls[replica], path, question.Accept, question.Body, question.Body is null ? "" : MediaTypes.Query,
            question.Authorize, TimeSpan.Zero, cancellationToken);
    }
}
