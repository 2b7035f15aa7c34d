using Optiks.Native;
using Optiks.Secrets;
using Optiks.Storage;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Makes the task's trees for a period. The trees use the period's secrets. They keep their files in the task's folder, unless another
/// process holds that folder.
/// </summary>
internal sealed class TaskTrees
{
    private readonly LogIdentity _identity;
    private readonly TaskFolder? _folder;

    public TaskTrees(LogIdentity identity, TaskFolder? folder)
    {
        _identity = identity;
        _folder = folder;
    }

    /// <summary>Restores a period's trees from the period's snapshot. Returns null if there is no usable snapshot.</summary>
    public LogTrees? TryRestore(PeriodRow period, out Refused? refused)
    {
        refused = null;
        if (_folder is null)
        {
            return null;
        }
        using DirectorySecrets secrets = UnwrapSecrets(period);
        return LogTrees.TryRestore(
            GetOptions(period, secrets) with { PeriodFirstEpoch = period.FirstEpoch!.Value }, _folder.Snapshot(period.Period), out refused);
    }

    /// <summary>
    /// Makes empty trees for a period. If the period is not the log's first period, the caller must load the period's copies before the
    /// period's first epoch. If the period's secrets are destroyed, the trees can be used only to replay the log, and cannot look up keys.
    /// </summary>
    public LogTrees Create(PeriodRow period)
    {
        if (period.WrappedSecrets.IsEmpty)
        {
            return LogTrees.CreateWithoutSecrets(_identity.Anchor.Configuration, period.Period);
        }
        using DirectorySecrets secrets = UnwrapSecrets(period);
        return LogTrees.Create(GetOptions(period, secrets), _folder?.Snapshot(period.Period));
    }

    private DirectorySecrets UnwrapSecrets(PeriodRow period) =>
        _identity.Secrets.UnwrapPeriod(period.WrappedSecrets.Span, period.Period, _identity.Anchor.LogId.Span);

    private DirectoryOptions GetOptions(PeriodRow period, DirectorySecrets secrets) => new()
    {
        Secrets = secrets,
        LeafLogPath = _folder?.LeafLog(period.Period),
        Values = KeptValues.Lists,
        Period = period.Period,
        MaxValueLength = _identity.Anchor.Configuration.MaxValueLength,
        ReusesUsernames = _identity.Anchor.Configuration.ReusesUsernames,
        Threads = DirectoryOptions.AllProcessors,
    };
}
