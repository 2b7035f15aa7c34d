using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Remembers that the log signed records which break the rules of records, so that later calls stop too.</summary>
/// <param name="Reason">First rule that is broken.</param>
/// <param name="Epoch">Entry of the board that breaks it.</param>
/// <param name="EvidencePath">Folder with the entries and the proofs that the log signed them.</param>
public sealed record BreachState(Reason Reason, ulong Epoch, string EvidencePath);
