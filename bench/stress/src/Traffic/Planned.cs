using Optiks.Stress.Load;

namespace Optiks.Stress.Traffic;

/// <summary>
/// Describes a request whose content is chosen before the request is sent. Two runs with the same seed send the same requests.
/// </summary>
/// <param name="Part">The operation of the mix.</param>
/// <param name="Server">The number of the replica or update-service that gets the request.</param>
/// <param name="Keys">The numbers of the request's keys; only a batch has more than one key.</param>
/// <param name="Draw">A random number, from which the program derives all other choices about the request.</param>
/// <param name="Verify">Whether to verify the answer.</param>
internal sealed record Planned(MixPart Part, int Server, int[] Keys, long Draw, bool Verify);
