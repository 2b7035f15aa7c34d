using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Stress.Traffic;

/// <summary>Polls the head of each replica during the load, to find out when the replica first shows each epoch.</summary>
internal sealed class EpochWatcher
{
    // The interval between polls. It is also the error of the measured times from acceptance to publication. It can be this short, because
    // a request for a head costs a replica very little work.
    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(20);
    private readonly TargetOptions _options;
    private readonly VerifyingSessions _sessions;
    private readonly Findings _findings;
    private readonly TimeProvider _time;

    public EpochWatcher(TargetOptions options, VerifyingSessions sessions, Findings findings, TimeProvider time)
    {
        _options = options;
        _sessions = sessions;
        _findings = findings;
        _time = time;
    }

    /// <summary>Follows the heads of all replicas until the caller cancels.</summary>
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
            // The caller cancels this call at the end of the run.
        }
    }

    /// <summary>
    /// Reads the head of a replica and the bounds of periods, so that later questions can be verified at once. Returns null, or the name of
    /// the error if they could not be read.
    /// </summary>
    public async Task<string?> ContactAsync(int replica, Views views, CancellationToken cancellationToken)
    {
        if (await ReadAsync(replica, cancellationToken) is { } error)
        {
            return error;
        }
        (Reply reply, Reason? reason) = await _sessions.AskPeriodsAsync(replica, views.Kept(replica)!, cancellationToken);
        return reply.Error ?? Judge(replica, "bounds of periods", reason!.Value);
    }

    private async Task<string?> ReadAsync(int replica, CancellationToken cancellationToken)
    {
        Asked<VerifiedHead> asked = await _sessions.AskAsync(
            replica, new Question("/v1/epochs/latest", MediaTypes.Head),
            (context, _, answer) =>
            {
                HeadVerdict verdict = Verifier.VerifyHead(context, answer);
                return (verdict.Reason, verdict.Head, verdict.Head);
            },
            static () => 0, cancellationToken);
        return asked.Reason is { } reason ? Judge(replica, "head", reason) : asked.Reply.Error;
    }

    private string? Judge(int replica, string what, Reason reason)
    {
        if (reason == Reason.Stale)
        {
            return "stale";
        }
        _findings.Add(reason == Reason.Valid ? null : $"{what} from {_options.QueryUrls[replica].Authority}: {reason.Name()}");
        return reason == Reason.Valid ? null : "invalid";
    }
}
