using Microsoft.Extensions.Configuration;
using Optiks.ServiceDefaults;
using Optiks.UpdateTask.Options;

namespace Optiks.Settings;

/// <summary>Finds combinations of settings that a program accepts, but that probably do not have the effect that the operator
/// intended.</summary>
internal static class Contradictions
{
    /// <summary>Checks the settings in these sections, whose values must have the right types.</summary>
    public static IEnumerable<ConfigurationProblem> Find(IReadOnlyCollection<string> sections, IConfiguration configuration)
    {
        if (sections.Contains(EpochOptions.Section) && sections.Contains(LogOptions.Section))
        {
            foreach (ConfigurationProblem problem in FindInEpochs(
                Read<EpochOptions>(EpochOptions.Section), Read<LogOptions>(LogOptions.Section)))
            {
                yield return problem;
            }
        }
        if (sections.Contains(PeriodOptions.Section) && sections.Contains(LogOptions.Section)
            && Read<PeriodOptions>(PeriodOptions.Section).Interval is { } interval
            && Read<LogOptions>(LogOptions.Section).PeriodLength is var length && interval < length)
        {
            yield return Warning(PeriodOptions.Section, nameof(PeriodOptions.Interval),
                $"it is shorter than a period of a log with {LogOptions.Section}:{nameof(LogOptions.PeriodLength)} of {length}: the task refuses to start.");
        }
        if (sections.Contains(BucketOptions.Section) && Read<BucketOptions>(BucketOptions.Section).Name.Length == 0
            && configuration.GetSection(BucketOptions.Section).GetChildren().Any())
        {
            yield return Warning(BucketOptions.Section, nameof(BucketOptions.Name),
                "it is empty, so the board is not copied and the section's other settings have no effect.");
        }
        if (sections.Contains(RateLimitOptions.Section))
        {
            RateLimitOptions limits = Read<RateLimitOptions>(RateLimitOptions.Section);
            (string Name, RateLimit Limit)[] all =
                [(nameof(limits.Lookups), limits.Lookups), (nameof(limits.Updates), limits.Updates),
                    (nameof(limits.Statuses), limits.Statuses), (nameof(limits.Audits), limits.Audits)];
            foreach ((string name, RateLimit limit) in all)
            {
                if (limit is { PerSecond: 0, Burst: > 0 })
                {
                    yield return Warning(RateLimitOptions.Section, $"{name}:{nameof(limit.Burst)}",
                        $"without {nameof(limit.PerSecond)} it limits nothing.");
                }
            }
        }

        T Read<T>(string section)
            where T : class, new() => configuration.GetSection(section).Get<T>() ?? new T();
    }

    private static IEnumerable<ConfigurationProblem> FindInEpochs(EpochOptions epochs, LogOptions log)
    {
        if (log.Heartbeat >= log.MaxBehind)
        {
            yield return Warning(LogOptions.Section, nameof(log.Heartbeat),
                $"it is not below {nameof(log.MaxBehind)}: without updates, readers refuse the newest epoch before the next one is made.");
        }
        if (epochs.EpochInterval > log.Heartbeat)
        {
            yield return Warning(EpochOptions.Section, nameof(epochs.EpochInterval),
                $"it is above {LogOptions.Section}:{nameof(log.Heartbeat)}, so the heartbeat cannot be kept.");
        }
        if (epochs.LeasePollInterval >= epochs.LeaseDuration)
        {
            yield return Warning(EpochOptions.Section, nameof(epochs.LeasePollInterval),
                $"it is not below {nameof(epochs.LeaseDuration)}: a standby takes over later than it could.");
        }
    }

    private static ConfigurationProblem Warning(string section, string name, string sentence) =>
        new(ConfigurationProblemKind.Warning, $"{section}:{name}", $"{section}:{name}: {sentence}");
}
