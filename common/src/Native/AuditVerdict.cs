using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>Holds the verdict on an AuditProof.</summary>
/// <param name="Reason">The reason why the proof is not valid; <c>Valid</c> if it is valid.</param>
/// <param name="NewRecord">The record of the range's last epoch if valid, otherwise empty.</param>
/// <param name="Structures">The structures whose trees provably only grew; empty if the proof is not valid. At a switch, the list has only
/// the structures that live as long as the log; otherwise it has all structures.</param>
public sealed record AuditVerdict(Reason Reason, ReadOnlyMemory<byte> NewRecord, IReadOnlyList<StructureId> Structures);
