using Optiks.Stress.Load;

namespace Optiks.Stress.Traffic;

/// <summary>One request, decided before it is sent and repeatable by the run's seed.</summary>
/// <param name="Part">Operation of the mix.</param>
/// <param name="Server">Number of the replica or update-service.</param>
/// <param name="Keys">Numbers of the keys; more than one only in a batch.</param>
/// <param name="Draw">A random number for all other choices.</param>
/// <param name="Verify">Whether to verify the answer.</param>
internal sealed record Planned(MixPart Part, int Server, int[] Keys, long Draw, bool Verify);
