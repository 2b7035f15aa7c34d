using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Remembers that the log signed records which break the rules of records, so that later calls stop too.</summary>
/// <param name="Reason">First rule that an entry breaks.</param>
/// <param name="Epoch">Index of the entry of the board that breaks the rule.</param>
/// <param name="EvidencePath">Folder with the entries, and the proofs that the log signed these entries.</param>
public sealed record BreachState(Reason Reason, ulong Epoch, string EvidencePath);
