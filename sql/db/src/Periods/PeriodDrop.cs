using Optiks.Commands;
using Optiks.Storage;

namespace Optiks.Db.Periods;

/// <summary>
/// Implements <c>optiks-db period drop</c>. For a period that is no longer served, it does what the update-task does to destroy the period,
/// but only in the database.
/// </summary>
internal static class PeriodDrop
{
    // The largest number of values that one transaction destroys. It is small so that services that accept updates do not wait for long.
    private const int ValuesPerPiece = 4096;

    private static readonly TimeSpan s_lease = TimeSpan.FromMinutes(1);

    public static async Task<int> RunAsync(Invocation invocation, ulong number, CancellationToken cancellationToken)
    {
        await using MaintenanceStore store = await invocation.OpenAsync(cancellationToken);
        PeriodTimes times = await PeriodTimes.ReadAsync(store, cancellationToken);
        PeriodRow period = times.Ended(number);
        if (number > 0 && times.Periods[(int)number - 1].State < PeriodState.Destroying)
        {
            throw new PeriodRefusedException(
                $"Period {number - 1}, which comes before it, still has its secrets: run 'optiks-db period drop {number - 1}' first.");
        }
        bool wasDestroyed = period.State == PeriodState.Destroyed;
        if (!wasDestroyed)
        {
            await DestroyAsync(store, times, number, cancellationToken);
        }
        await invocation.Output.WriteLineAsync(invocation.Json
            ? JsonLine.Write(writer =>
            {
                writer.WriteNumber("period", number);
                writer.WriteBoolean("destroyed_before", wasDestroyed);
            })
            : FormattableString.Invariant(
                $"period {number} {(wasDestroyed ? "was destroyed before" : "is destroyed")}: the database has no secrets, openings, keys or values of it"));
        return ExitCodes.Success;
    }

    private static async Task DestroyAsync(MaintenanceStore store, PeriodTimes times, ulong number, CancellationToken cancellationToken)
    {
        Lease lease =
            await store.AcquireLeaseAsync($"optiks-db {Environment.MachineName} {Environment.ProcessId}", s_lease, cancellationToken)
            ?? throw new PeriodRefusedException(
                $"An update-task ({times.Head.Holder}) holds the lease until {times.Head.LeaseEnd:u}, and destroys periods automatically. To destroy the period now, stop the update-task first.");
        try
        {
            await store.BeginDestroyingAsync(lease, number, times.Configuration.RetainedPeriods, cancellationToken);
            while (!await store.DestroyAsync(lease, number, ValuesPerPiece, cancellationToken))
            {
                if (!await store.RenewLeaseAsync(lease, s_lease, cancellationToken))
                {
                    throw new StorageFencedException("The lease was lost: another program writes to this database. Run the command again.");
                }
            }
        }
        finally
        {
            await store.ReleaseLeaseAsync(lease, CancellationToken.None);
        }
    }
}
