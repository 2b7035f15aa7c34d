using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>Holds the verdict on an AuditProof.</summary>
/// <param name="Reason">Valid, or why the proof is not valid.</param>
/// <param name="NewRecord">The record of the range's last epoch if valid, otherwise empty.</param>
/// <param name="Structures">If valid, the structures whose trees provably only grew, otherwise empty. These are all structures, except at a
/// switch, where they are only the structures that live as long as the log.</param>
public sealed record AuditVerdict(Reason Reason, ReadOnlyMemory<byte> NewRecord, IReadOnlyList<StructureId> Structures);
