using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Stress.Traffic;

/// <summary>EpochWatcher reads each replica's head again and again, beside the load, and so knows when each epoch appeared.</summary>
internal sealed class EpochWatcher
{
    // The error of a time from acceptance to publication; a head costs a replica next to nothing.
    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(20);
    private readonly TargetOptions _options;
    private readonly Target _target;
    private readonly Views _views;
    private readonly Findings _findings;
    private readonly TimeProvider _time;

    public EpochWatcher(TargetOptions options, Target target, Views views, Findings findings, TimeProvider time)
    {
        _options = options;
        _target = target;
        _views = views;
        _findings = findings;
        _time = time;
    }

    /// <summary>FollowAsync until cancelled.</summary>
    public async Task FollowAsync(CancellationToken cancellationToken)
    {
        try
        {
            while (true)
            {
                for (int i = 0; i < _options.QueryUrls.Count; i++)
                {
                    await ReadAsync(i, cancellationToken);
                }
                await Task.Delay(s_interval, _time, cancellationToken);
            }
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // The end of the run.
        }
    }

    /// <summary>ReadAsync reads one replica's head; the error's name when it could not.</summary>
    public async Task<string?> ReadAsync(int replica, CancellationToken cancellationToken)
    {
        KeptHead? kept = _views.Kept(replica);
        Reply reply = await _target.SendAsync(
            _options.QueryUrls[replica], $"/v1/epochs/latest?checkpoint_size={kept?.Size ?? 0}", MediaTypes.Head, null, "", authorize: false, TimeSpan.Zero, cancellationToken);
        if (reply.Error is not null)
        {
            return reply.Error;
        }
        HeadVerdict verdict = Verifier.Head(_views.Context(kept), reply.Body);
        if (verdict.Reason == Reason.Stale)
        {
            return "stale";
        }
        Reason reason = verdict.Reason == Reason.Valid ? _views.Learn(replica, verdict.Head!, reply.Body) : verdict.Reason;
        _findings.Add(reason == Reason.Valid ? null : $"head from {_options.QueryUrls[replica].Authority}: {reason.Name()}");
        return reason == Reason.Valid ? null : "invalid";
    }
}
