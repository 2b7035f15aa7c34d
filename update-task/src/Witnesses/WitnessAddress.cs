using Optiks.Tlog;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>Describes a witness and its address for checkpoints.</summary>
/// <param name="Key">Its key, of type 0x04.</param>
/// <param name="Url">Its add-checkpoint endpoint.</param>
internal sealed record WitnessAddress(VerifierKey Key, Uri Url);
