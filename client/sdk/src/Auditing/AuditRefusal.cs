using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>AuditRefusal is an answer that was refused: by itself it says something about the server that gave it, not about the log.</summary>
/// <param name="Server">Server that gave it.</param>
/// <param name="Reason">First check that failed.</param>
/// <param name="Range">Epochs whose proof it was; null when it was something else.</param>
/// <param name="Files">What was refused and what it was judged by, for people who look into it.</param>
public sealed record AuditRefusal(Uri Server, Reason Reason, (ulong From, ulong To)? Range, IReadOnlyDictionary<string, ReadOnlyMemory<byte>> Files);
