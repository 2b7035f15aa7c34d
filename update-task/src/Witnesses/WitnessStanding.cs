using Optiks.Tlog;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>Holds the state of one witness. Immutable.</summary>
/// <param name="Witness">The witness's key.</param>
/// <param name="Outcome">How the witness treated the last checkpoint that it was asked to cosign.</param>
/// <param name="Size">The size of the last checkpoint that the witness cosigned; 0 if it has not cosigned since the start.</param>
/// <param name="Time">The time in the witness's last cosignature, in seconds since 1970.</param>
internal sealed record WitnessStanding(VerifierKey Witness, WitnessOutcome Outcome, ulong Size, ulong Time);
