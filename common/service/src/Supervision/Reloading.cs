using System.Runtime.InteropServices;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Optiks.Secrets;
using Optiks.Settings;

namespace Optiks.ServiceDefaults;

/// <summary>
/// At SIGHUP, reads again those settings that may change while the service runs. They are the rate limits and log levels in
/// <see cref="SettingsFile"/>, and the certificate of <see cref="TlsOptions"/>. If one of the changes is unusable, the service logs this,
/// and all settings stay as they were. Files of credentials are read again without a signal (<see cref="FollowedFile{T}"/>).
/// </summary>
/// <remarks>SIGHUP causes a reload only if a <see cref="ServiceManager"/> started the service. A service that was started in a terminal
/// ends at SIGHUP, which it gets when the terminal closes.</remarks>
internal sealed partial class Reloading : IHostedService, IDisposable
{
    // The settings that take effect without a restart. They include all settings about rate limits except the proxies, which are set up at
    // the start.
    private static readonly string[] s_live =
    [
        $"{RateLimitOptions.Section}:{nameof(RateLimitOptions.Lookups)}:",
        $"{RateLimitOptions.Section}:{nameof(RateLimitOptions.Updates)}:",
        $"{RateLimitOptions.Section}:{nameof(RateLimitOptions.Statuses)}:",
        $"{RateLimitOptions.Section}:{nameof(RateLimitOptions.Audits)}:",
        "Logging:",
    ];

    private readonly ReloadedParts _parts;
    private readonly ILogger<Reloading> _logger;
    private PosixSignalRegistration? _signal;

    public Reloading(ReloadedParts parts, ILogger<Reloading> logger)
    {
        _parts = parts;
        _logger = logger;
    }

    public Task StartAsync(CancellationToken cancellationToken)
    {
        _signal = PosixSignalRegistration.Create(PosixSignal.SIGHUP, context =>
        {
            context.Cancel = true;
            _parts.Manager.TellReload(Reload);
        });
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken)
    {
        Dispose();
        return Task.CompletedTask;
    }

    public void Dispose()
    {
        _signal?.Dispose();
        _signal = null;
    }

    /// <summary>Reloads the settings once. Only one thread at a time may call this method.</summary>
    internal void Reload()
    {
        try
        {
            RateLimitOptions limits = new();
            // All steps that can fail come before the first step that changes a setting, so that a failure changes nothing.
            TlsCertificate.Pair? certificate = _parts.Certificate?.Read();
            IReadOnlyList<string> changed = _parts.File?.Reload(() =>
            {
                SettingsCheck.ThrowIfAny(_parts.Configuration, _parts.Settings);
                limits = _parts.Configuration.GetSection(RateLimitOptions.Section).Get<RateLimitOptions>() ?? new RateLimitOptions();
                if (_parts.LimitsValidator.Validate(null, limits) is { Failed: true } refused)
                {
                    throw new StartupException(string.Join("; ", refused.Failures));
                }
            }) ?? [];
            if (_parts.File is not null)
            {
                _parts.Limiter.Use(limits);
            }
            if (certificate is not null)
            {
                _parts.Certificate!.Use(certificate);
            }
            string[] later = [.. changed.Where(name => !s_live.Any(live => name.StartsWith(live, StringComparison.OrdinalIgnoreCase)))];
            if (later.Length == 0)
            {
                LogReloaded(_logger, changed.Count);
            }
            else
            {
                // The log contains only the names of the settings, because a value may be a secret.
                LogNeedsRestart(_logger, string.Join(", ", later));
            }
        }
        catch (Exception e) when (e is StartupException or SecretsException)
        {
            LogRefused(_logger, ErrorText.Line(e.Message));
        }
    }

    [LoggerMessage(EventId = 9040, EventName = "Reloaded", Level = LogLevel.Information,
        Message = "Reloaded: {Settings} settings changed; the certificate, if there is one, was read from its file again.")]
    private static partial void LogReloaded(ILogger logger, int settings);

    [LoggerMessage(EventId = 9041, EventName = "ReloadNeedsRestart", Level = LogLevel.Warning,
        Message = "Reloaded. These settings changed and take effect at the next start: {Names}")]
    private static partial void LogNeedsRestart(ILogger logger, string names);

    [LoggerMessage(EventId = 9042, EventName = "ReloadRefused", Level = LogLevel.Error,
        Message = "Nothing was reloaded; the previous settings remain in effect: {Problem}")]
    private static partial void LogRefused(ILogger logger, string problem);
}
