using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>An answer that the auditor refused. The refusal shows a fault of the server that gave the answer, but not of the log.</summary>
/// <param name="Server">Server that gave the answer.</param>
/// <param name="Reason">First check that the answer failed.</param>
/// <param name="Range">Epochs that the refused proof covers; null when the answer was not a proof.</param>
/// <param name="Files">Files for people who investigate: the refused answer, and the files by which the auditor judged the answer.</param>
public sealed record AuditRefusal(
    Uri Server, Reason Reason, (ulong From, ulong To)? Range, IReadOnlyDictionary<string, ReadOnlyMemory<byte>> Files);
