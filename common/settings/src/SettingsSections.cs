using Optiks.QueryService.Options;
using Optiks.ServiceDefaults;
using Optiks.Storage.Hosting;
using Optiks.UpdateService.Options;
using Optiks.UpdateTask.Options;

namespace Optiks.Settings;

/// <summary>Lists all sections under <c>Optiks:</c>.</summary>
public static class SettingsSections
{
    /// <summary>The name that is the root of all sections.</summary>
    public const string Root = "Optiks";

    /// <summary>The sections that every program with an HTTP server reads.</summary>
    public static IReadOnlyList<SettingsSection> OfServices { get; } =
    [
        SettingsSection.Create(RateLimitOptions.Section, new RateLimitOptionsValidator()),
        SettingsSection.Create(CorsOptions.Section, new CorsOptionsValidator()),
        SettingsSection.Create<MetricsOptions>(MetricsOptions.Section),
        SettingsSection.Create(TlsOptions.Section, new TlsOptionsValidator()),
        SettingsSection.Create(TokenOptions.Section, new TokenOptionsValidator()),
    ];

    internal static SettingsSection ApiReference { get; } = SettingsSection.Create<ApiReferenceOptions>(ApiReferenceOptions.Section);

    internal static SettingsSection Board { get; } = SettingsSection.Create(BoardOptions.Section, new BoardOptionsValidator());

    internal static SettingsSection Storage { get; } = SettingsSection.Create(StorageOptions.Section, new StorageOptionsValidator());

    internal static SettingsSection Epochs { get; } = SettingsSection.Create(EpochOptions.Section, new EpochOptionsValidator());

    internal static SettingsSection Padding { get; } = SettingsSection.Create(PaddingOptions.Section, new PaddingOptionsValidator());

    internal static SettingsSection Log { get; } = SettingsSection.Create(LogOptions.Section, new LogOptionsValidator());

    internal static SettingsSection Kek { get; } = SettingsSection.Create<KekOptions>(KekOptions.Section);

    internal static SettingsSection LogKey { get; } = SettingsSection.Create<LogKeyOptions>(LogKeyOptions.Section);

    internal static SettingsSection Periods { get; } = SettingsSection.Create(PeriodOptions.Section, new PeriodOptionsValidator());

    internal static SettingsSection Witnesses { get; } = SettingsSection.Create(WitnessOptions.Section, new WitnessOptionsValidator());

    internal static SettingsSection Bucket { get; } = SettingsSection.Create(BucketOptions.Section, new BucketOptionsValidator());

    internal static SettingsSection Queue { get; } = SettingsSection.Create(QueueOptions.Section, new QueueOptionsValidator());

    /// <summary>The part of the update-task's section <see cref="Log"/> that the update-service reads too.</summary>
    internal static SettingsSection Limits { get; } = SettingsSection.Create(LimitOptions.Section, new LimitOptionsValidator());

    internal static SettingsSection Queries { get; } = SettingsSection.Create(
        QueryServiceOptions.Section, new QueryServiceOptionsValidator());
}
