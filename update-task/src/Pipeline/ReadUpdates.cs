using Optiks.Storage;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>ReadUpdates is an epoch's updates, read and not yet applied.</summary>
/// <param name="Pending">The updates.</param>
/// <param name="Times">The epoch's, which began with the reading.</param>
/// <param name="Start">Stopwatch timestamp at which the epoch began.</param>
internal sealed record ReadUpdates(EpochUpdates Pending, EpochTimes Times, long Start);
