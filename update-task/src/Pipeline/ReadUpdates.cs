using Optiks.Storage;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>Holds an epoch's updates, read but not yet applied.</summary>
/// <param name="Pending">The updates.</param>
/// <param name="Times">The times of the epoch, which began with the reading.</param>
/// <param name="Start">The Stopwatch timestamp at which the epoch began.</param>
internal sealed record ReadUpdates(EpochUpdates Pending, EpochTimes Times, long Start);
