using Optiks.Protocol;
using Optiks.UpdateTask.Options;

namespace Optiks.UpdateTask.Periods;

/// <summary>
/// Says when to prepare the next period and when it begins (docs/spec/periods.md section 1). Times are Unix milliseconds.
/// </summary>
internal sealed class PeriodSchedule
{
    private readonly bool _isAutomatic;
    private readonly ulong _lengthMs;
    private readonly ulong _intervalMs;
    private readonly ulong _preparationMs;

    /// <summary>
    /// Computes the schedule of a log. Throws <see cref="StartupException"/> if the interval is below the period length of the log's fixed
    /// configuration.
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
                ExitCodes.Configuration, $"{PeriodOptions.Section}:{nameof(PeriodOptions.Interval)} is {options.Interval}, and a period of this log lasts at least {TimeSpan.FromMilliseconds(_lengthMs)}.");
        }
    }

    /// <summary>
    /// Returns the earliest time of the switch that ends a period which began at <paramref name="firstMs"/>; null while no switch is
    /// planned.
    /// </summary>
    /// <param name="firstMs">The time of the record of the current period's first epoch.</param>
    /// <param name="isRequested">Whether the operator has requested the switch.</param>
    public ulong? SwitchAt(ulong firstMs, bool isRequested) =>
        isRequested ? firstMs + _lengthMs : _isAutomatic ? firstMs + _intervalMs : null;

    /// <summary>Returns when the task starts to prepare the next period; null while no switch is planned.</summary>
    public ulong? PrepareAt(ulong firstMs, bool isRequested) =>
        isRequested ? 0 : SwitchAt(firstMs, isRequested: false) is { } at ? at - Math.Min(at, _preparationMs) : null;
}
