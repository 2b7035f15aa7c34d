using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Optiks.ServiceDefaults;

namespace Optiks.Auditor;

/// <summary>
/// Looks at all logs concurrently, once per interval. Writes each finding to the program's log and sends it to the webhook.
/// </summary>
internal sealed class AuditorWorker : BackgroundService
{
    private readonly AuditedLogs _logs;
    private readonly AuditorSettings _settings;
    private readonly AuditorMetrics _metrics;
    private readonly HostFailure _failure;
    private readonly TimeProvider _time;
    private readonly ILogger<AuditorWorker> _logger;
    private readonly AuditorWebhook? _webhook;

    public AuditorWorker(AuditedLogs logs, AuditorSettings settings, AuditorMetrics metrics, HostFailure failure, TimeProvider time,
        ILogger<AuditorWorker> logger, HttpClient http)
    {
        (_logs, _settings, _metrics, _failure, _time, _logger) = (logs, settings, metrics, failure, time, logger);
        _webhook = settings.Webhook is { } url ? new AuditorWebhook(http, url) : null;
    }

    protected override Task ExecuteAsync(CancellationToken stoppingToken) =>
        Task.WhenAll(_logs.All.Select(log => _failure.RunAsync(stop => FollowAsync(log, stop), _logger.Stopped, stoppingToken)));

    private async Task FollowAsync(LogAuditor log, CancellationToken stop)
    {
        // Return to the host at once. The first look at the logs must not delay the host's start, because the host's server does not listen
        // until the start has ended.
        await Task.Yield();
        LogView before = log.View;
        if (before.Finding is not null)
        {
            Say(null, before);
        }
        while (true)
        {
            LogView view = await log.LookAsync(stop).ConfigureAwait(false);
            _metrics.Looked(view);
            Say(before, view);
            if (view.Finding is { IsAlerted: false } && _webhook is not null)
            {
                if (await TellAsync(log, _webhook, stop).ConfigureAwait(false) is { } problem)
                {
                    _logger.WebhookFailed(view.Origin, problem);
                }
            }
            before = log.View;
            await Task.Delay(_settings.Interval, _time, stop).ConfigureAwait(false);
        }
    }

    // Sends a finding to the webhook. Returns null if the webhook has accepted the finding and the auditor has recorded that on disk;
    // otherwise the problem.
    private static async Task<string?> TellAsync(LogAuditor log, AuditorWebhook webhook, CancellationToken stop)
    {
        if (await webhook.TellAsync(log.View, stop).ConfigureAwait(false) is { } problem)
        {
            return problem;
        }
        try
        {
            log.Alerted();
            return null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return $"that it was told cannot be written: {e.Message}";
        }
    }

    // Writes log messages about what changed from one view of a log to the next.
    private void Say(LogView? before, LogView now)
    {
        if (now.Finding is { } finding)
        {
            if (before?.Finding is null)
            {
                _logger.Found(now.Origin, finding.Sentence, finding.Reason, finding.EvidencePath);
            }
            return;
        }
        if (now.Signed is { } signed && before?.Signed != signed)
        {
            _logger.Signed(now.Origin, signed.FirstEpoch, signed.Epoch);
        }
        if (now.Condition != LogCondition.Following && before?.Condition != now.Condition)
        {
            _logger.Changed(now.Origin, CoverageJson.Name(now.Condition), now.Description);
        }
        if (now.Fault is { } fault && before?.Fault?.Message != fault.Message)
        {
            _logger.LookFailed(fault, now.Origin);
        }
        if (now.Warning is { } warning && before?.Warning != warning)
        {
            _logger.AnswerRefused(now.Origin, warning);
        }
    }
}
