using Optiks.Tlog;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>Holds the key of a witness, and the address to which checkpoints are sent.</summary>
/// <param name="Key">The witness's public key; its signature type is 0x04.</param>
/// <param name="Url">The URL of the witness's add-checkpoint endpoint.</param>
internal sealed record WitnessAddress(VerifierKey Key, Uri Url);
