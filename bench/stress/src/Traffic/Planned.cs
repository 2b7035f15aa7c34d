using Optiks.Stress.Load;

namespace Optiks.Stress.Traffic;

/// <summary>One request, whose content is chosen before it is sent. The same seed of a run gives the same requests.</summary>
/// <param name="Part">Operation of the mix.</param>
/// <param name="Server">Number of the replica or update-service.</param>
/// <param name="Keys">Numbers of the keys; only a batch has more than one key.</param>
/// <param name="Draw">A random number, from which the program derives all other choices about the request.</param>
/// <param name="Verify">Whether to verify the answer.</param>
internal sealed record Planned(MixPart Part, int Server, int[] Keys, long Draw, bool Verify);
