using Optiks.Storage;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>Holds the updates that were read for the next epoch.</summary>
/// <param name="Pending">The updates.</param>
/// <param name="Times">The measured times of the epoch's steps, beginning with the reading of the updates.</param>
/// <param name="Start">The Stopwatch timestamp at which the epoch began.</param>
internal sealed record ReadUpdates(EpochUpdates Pending, EpochTimes Times, long Start);
