using Optiks.Tlog;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>Describes a witness and its address for checkpoints.</summary>
/// <param name="Key">The witness's key, of type 0x04.</param>
/// <param name="Url">The URL of the witness's add-checkpoint endpoint.</param>
internal sealed record WitnessAddress(VerifierKey Key, Uri Url);
