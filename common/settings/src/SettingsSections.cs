using Optiks.QueryService.Options;
using Optiks.ServiceDefaults;
using Optiks.Storage.Hosting;
using Optiks.UpdateService.Options;
using Optiks.UpdateTask.Options;

namespace Optiks.Settings;

/// <summary>Lists all sections under <c>Optiks:</c>.</summary>
public static class SettingsSections
{
    /// <summary>The root of all sections.</summary>
    public const string Root = "Optiks";

    /// <summary>The sections that every program with an HTTP server reads.</summary>
    public static IReadOnlyList<SettingsSection> OfServices { get; } =
    [
        SettingsSection.Of(RateLimitOptions.Section, new RateLimitOptionsValidator()),
        SettingsSection.Of(CorsOptions.Section, new CorsOptionsValidator()),
        SettingsSection.Of<MetricsOptions>(MetricsOptions.Section),
        SettingsSection.Of(TlsOptions.Section, new TlsOptionsValidator()),
        SettingsSection.Of(TokenOptions.Section, new TokenOptionsValidator()),
    ];

    internal static SettingsSection Board { get; } = SettingsSection.Of(BoardOptions.Section, new BoardOptionsValidator());

    internal static SettingsSection Storage { get; } = SettingsSection.Of(StorageOptions.Section, new StorageOptionsValidator());

    internal static SettingsSection Epochs { get; } = SettingsSection.Of(EpochOptions.Section, new EpochOptionsValidator());

    internal static SettingsSection Padding { get; } = SettingsSection.Of(PaddingOptions.Section, new PaddingOptionsValidator());

    internal static SettingsSection Log { get; } = SettingsSection.Of(LogOptions.Section, new LogOptionsValidator());

    internal static SettingsSection Kek { get; } = SettingsSection.Of<KekOptions>(KekOptions.Section);

    internal static SettingsSection LogKey { get; } = SettingsSection.Of<LogKeyOptions>(LogKeyOptions.Section);

    internal static SettingsSection Periods { get; } = SettingsSection.Of(PeriodOptions.Section, new PeriodOptionsValidator());

    internal static SettingsSection Witnesses { get; } = SettingsSection.Of(WitnessOptions.Section, new WitnessOptionsValidator());

    internal static SettingsSection Bucket { get; } = SettingsSection.Of(BucketOptions.Section, new BucketOptionsValidator());

    internal static SettingsSection Queue { get; } = SettingsSection.Of(QueueOptions.Section, new QueueOptionsValidator());

    /// <summary>The part of the update-task's section <see cref="Log"/> that the update-service reads too.</summary>
    internal static SettingsSection Limits { get; } = SettingsSection.Of(LimitOptions.Section, new LimitOptionsValidator());

    internal static SettingsSection Queries { get; } = SettingsSection.Of(QueryServiceOptions.Section, new QueryServiceOptionsValidator());
}
