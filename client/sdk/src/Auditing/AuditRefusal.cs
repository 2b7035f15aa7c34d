using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// An answer that the auditor refused. It speaks against the server that gave it, but does not show that the log is at fault.
/// </summary>
/// <param name="Server">Server that gave it.</param>
/// <param name="Reason">First check that failed.</param>
/// <param name="Range">Epochs that the refused proof covers; null when the answer was not a proof.</param>
/// <param name="Files">The refused answer and the files by which it was judged, for people who investigate.</param>
public sealed record AuditRefusal(Uri Server, Reason Reason, (ulong From, ulong To)? Range, IReadOnlyDictionary<string, ReadOnlyMemory<byte>> Files);
