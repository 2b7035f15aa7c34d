using Optiks.Storage;
using Optiks.UpdateTask.Leasing;
using Optiks.UpdateTask.Periods;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>Lead is what the holder of the lease makes epochs with.</summary>
/// <param name="Store">The database.</param>
/// <param name="Keeper">Keeps the lease.</param>
/// <param name="Session">The log in memory.</param>
/// <param name="Updates">Reads what the next epoch takes.</param>
/// <param name="Periods">Makes the next period, and destroys old ones.</param>
internal sealed record Lead(IPipelineStore Store, LeaseKeeper Keeper, LogSession Session, UpdateReader Updates, PeriodKeeper Periods)
{
    /// <summary>Lease that every write names.</summary>
    public Lease Lease => Keeper.Lease;
}
