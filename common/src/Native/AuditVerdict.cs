using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>AuditVerdict of an AuditProof.</summary>
/// <param name="Reason">Valid, or why not.</param>
/// <param name="NewRecord">Record of the range's last epoch when valid, otherwise empty.</param>
/// <param name="Structures">
/// Structures whose trees were shown to have only grown when valid, otherwise empty: all, but at a switch of the period those alone that live as long as the log.
/// </param>
public sealed record AuditVerdict(Reason Reason, ReadOnlyMemory<byte> NewRecord, IReadOnlyList<StructureId> Structures);
