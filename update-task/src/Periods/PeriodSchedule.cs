using Optiks.Protocol;
using Optiks.UpdateTask.Options;

namespace Optiks.UpdateTask.Periods;

/// <summary>
/// Computes when the task starts to prepare the next period, and when that period may begin (docs/spec/periods.md section 1). Times are in
/// Unix milliseconds.
/// </summary>
internal sealed class PeriodSchedule
{
    private readonly bool _isAutomatic;
    private readonly ulong _lengthMs;
    private readonly ulong _intervalMs;
    private readonly ulong _preparationMs;

    /// <summary>
    /// Makes the schedule of a log. Throws <see cref="StartupException"/> if the option <see cref="PeriodOptions.Interval"/> is shorter
    /// than the period length in the log's configuration, which never changes.
    /// </summary>
    public PeriodSchedule(PeriodOptions options, Configuration configuration)
    {
        _isAutomatic = options.Automatic;
        _lengthMs = configuration.PeriodLengthMs;
        _intervalMs = options.Interval is { } interval ? (ulong)interval.TotalMilliseconds : _lengthMs;
        _preparationMs = (ulong)options.Preparation.TotalMilliseconds;
        if (_intervalMs < _lengthMs)
        {
            throw new StartupException(
                ExitCodes.Configuration,
                $"{PeriodOptions.Section}:{nameof(PeriodOptions.Interval)} is {options.Interval}, and a period of this log lasts at least {TimeSpan.FromMilliseconds(_lengthMs)}.");
        }
    }

    /// <summary>Returns the earliest time at which the current period may end; null while no switch is planned.</summary>
    /// <param name="firstMs">The time at which the current period began, which is in the record of its first epoch.</param>
    /// <param name="isRequested">Whether the operator has requested the switch.</param>
    public ulong? SwitchAt(ulong firstMs, bool isRequested) =>
        isRequested ? firstMs + _lengthMs : _isAutomatic ? firstMs + _intervalMs : null;

    /// <summary>
    /// Returns the time at which the task starts to prepare the next period, or 0 if it must start at once; null while no switch is
    /// planned.
    /// </summary>
    public ulong? PrepareAt(ulong firstMs, bool isRequested) =>
        isRequested ? 0 : SwitchAt(firstMs, isRequested: false) is { } at ? at - Math.Min(at, _preparationMs) : null;
}
