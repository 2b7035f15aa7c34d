using Optiks.Storage;
using Optiks.UpdateTask.Leasing;
using Optiks.UpdateTask.Periods;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>Holds everything with which the holder of the lease makes epochs.</summary>
/// <param name="Store">The database.</param>
/// <param name="Keeper">Renews the lease.</param>
/// <param name="Session">The log in memory.</param>
/// <param name="Updates">Reads the updates that the next epoch takes.</param>
/// <param name="Periods">Prepares the next period, and destroys old periods.</param>
internal sealed record Lead(IPipelineStore Store, LeaseKeeper Keeper, LogSession Session, UpdateReader Updates, PeriodKeeper Periods)
{
    /// <summary>The lease that every write names.</summary>
    public Lease Lease => Keeper.Lease;
}
