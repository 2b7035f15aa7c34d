using Optiks.Tlog;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>WitnessStanding is how it stands with one witness. Immutable.</summary>
/// <param name="Witness">Its key.</param>
/// <param name="Outcome">What it made of the last checkpoint that it was asked for.</param>
/// <param name="Size">Size of the last one that it cosigned; 0: none since the start.</param>
/// <param name="Time">Seconds since 1970 in that cosignature.</param>
internal sealed record WitnessStanding(VerifierKey Witness, WitnessOutcome Outcome, ulong Size, ulong Time);
