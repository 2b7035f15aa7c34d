using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Optiks.Client;
using Optiks.ServiceDefaults;
using Optiks.Settings;
using Optiks.Tlog;

namespace Optiks.Auditor;

/// <summary>Runs an auditor: as a daemon that serves its signed statements, or once to look at each log.</summary>
public static class AuditorHost
{
    /// <summary>The environment variable that holds the auditor's signing key as text, when the settings name no key file.</summary>
    public const string KeyVariable = "OPTIKS_AUDITOR_KEY";

    private static readonly OptiksServiceOptions s_service = OptiksServiceOptions.Read(Programs.Auditor);

    /// <summary>
    /// Runs the daemon until it is told to stop, and returns its exit code. If the daemon has a finding about a log, the code is
    /// <see cref="ExitCodes.Fork"/> or <see cref="ExitCodes.Invalid"/>. The daemon nevertheless follows the other logs until it stops. If
    /// an operator can fix a problem, the daemon describes it in one sentence on standard error.
    /// </summary>
    public static Task<int> RunAsync(AuditorSettings settings, INoteSigner key, HttpClient http) => EndAsync(settings, async () =>
    {
        using AuditedLogs logs =
            await AuditedLogs.OpenAsync(settings, key, http, TimeProvider.System, CancellationToken.None).ConfigureAwait(false);
        WebApplication app = Build(settings, logs, http, TimeProvider.System);
        await using (app.ConfigureAwait(false))
        {
            await Startup.RunHostAsync(app).ConfigureAwait(false);
        }
        return logs.Views.ToArray();
    });

    /// <summary>
    /// Looks at every log once, one log after another, passes each result to the function <paramref name="report"/>, and returns the exit
    /// code.
    /// </summary>
    public static Task<int> OnceAsync(AuditorSettings settings, INoteSigner key, HttpClient http, TimeProvider time,
        Action<AuditorReport> report, CancellationToken cancellationToken) => EndAsync(settings, async () =>
    {
        using AuditedLogs logs = await AuditedLogs.OpenAsync(settings, key, http, time, cancellationToken).ConfigureAwait(false);
        var views = new List<LogView>();
        foreach (LogAuditor log in logs.All)
        {
            LogView view = await log.LookAsync(cancellationToken).ConfigureAwait(false);
            views.Add(view);
            report(AuditorReport.From(view));
        }
        if (views.All(view => view.Finding is null) && views.FirstOrDefault(view => view.Condition != LogCondition.Following) is { } behind)
        {
            throw new StartupException(behind.Condition == LogCondition.Failing ? ExitCodes.Configuration : ExitCodes.Unreachable,
                $"{behind.Origin}: {behind.Description}");
        }
        return [.. views];
    });

    /// <summary>
    /// Lets the audit of each log continue after a person has examined why an answer was refused or the mark is missing. Returns sentences
    /// that say what the call changed. Throws <see cref="StartupException"/> if the log's own signature proves the fault.
    /// </summary>
    public static async Task<IReadOnlyList<string>> ResumeAsync(
        AuditorSettings settings, INoteSigner key, HttpClient http, TimeProvider time, CancellationToken cancellationToken)
    {
        var done = new List<string>();
        foreach (AuditedLog log in settings.Logs)
        {
            string origin = log.TrustAnchor.Configuration.Origin;
            var files = new AuditorFiles(settings, log);
            // These locks keep other processes out of the folders while this code changes them.
            using FileStream markLock = files.LockMark();
            using AuditorSession session = await AuditorSession.OpenAsync(
                new AuditorOptions
                {
                    TrustAnchor = log.TrustAnchor,
                    QueryUrls = log.QueryUrls,
                    StateFolder = files.Folder,
                    FirstEpoch = log.FirstEpoch,
                }, http, time, cancellationToken).ConfigureAwait(false);
            if (session.State is { Fork: not null } or { Breach: not null })
            {
                throw new StartupException(ExitCodes.Fork,
                    $"{origin}: the log's own signature shows what is wrong. Nothing of this log is signed with this state again.");
            }
            if (files.LoadFinding() is { } finding)
            {
                files.RemoveFinding();
                done.Add($"{origin}: goes on after the refusal of {finding.Sentence}");
            }
            if (files.LoadSigned() is { } signed && files.LoadMark(log.TrustAnchor) is var mark
                && (mark is null || mark.Size < signed.Size))
            {
                if (signed.Open(log.TrustAnchor, key.Key) is null)
                {
                    throw new StartupException($"{files.Folder} has a statement that {key.Key.Name} did not sign with this key.");
                }
                files.Save(new AuditorMark(signed.Auditor, signed.FirstEpoch, signed.Size, signed.Note));
                done.Add($"{origin}: the mark is made again, of epoch {signed.Epoch}");
            }
        }
        return done;
    }

    /// <summary>Builds the daemon for auditors that are already open.</summary>
    internal static WebApplication Build(AuditorSettings settings, AuditedLogs logs, HttpClient http, TimeProvider time)
    {
        WebApplicationBuilder builder = ServiceBuilder.Create("--urls", settings.Urls);
        builder.Configuration[DataFolder.Variable] = settings.StateFolder;
        builder.AddOptiksDefaults(s_service);
        builder.Services.AddSingleton(time);
        builder.Services.AddSingleton(settings);
        builder.Services.AddSingleton(logs);
        builder.Services.AddSingleton(http);
        builder.Services.AddSingleton<AuditorMetrics>();
        builder.Services.AddHostedService<AuditorWorker>();
        builder.Services.AddHealthChecks().AddCheck<AuditorHealth>("logs");
        WebApplication app = builder.Build();
        app.UseOptiksDefaults();
        AuditorEndpoints.Map(app, logs);
        return app;
    }

    private static async Task<int> EndAsync(AuditorSettings settings, Func<Task<LogView[]>> run)
    {
        LogView[] views = [];
        int code = await Startup.RunAsync(
            async () =>
            {
                FailPoints.EnsureValid();
                if (settings.Interval < TimeSpan.FromSeconds(AuditorFile.MinIntervalSeconds))
                {
                    throw new StartupException($"The interval between two looks is at least {AuditorFile.MinIntervalSeconds} s.");
                }
                views = await run().ConfigureAwait(false);
            },
            e => e is ClientStateException or IOException or UnauthorizedAccessException ? ExitCodes.Configuration : null)
            .ConfigureAwait(false);
        return code != ExitCodes.Success ? code
            : views.Any(view => view.Finding is { IsFork: true }) ? ExitCodes.Fork
            : views.Any(view => view.Finding is not null) ? ExitCodes.Invalid
            : ExitCodes.Success;
    }
}
