using Optiks.Protocol;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>AuditProofFile renders the AuditProof of one step (docs/spec/answers.md section 1).</summary>
internal static class AuditProofFile
{
    /// <summary>Encode joins the records of epochs e-1 and e and the four AppendProof structures.</summary>
    public static byte[] Encode(ReadOnlySpan<byte> previousRecord, ReadOnlySpan<byte> record, ReadOnlySpan<byte> appendProofs)
    {
        // records<772..99202>: three octets of length.
        const int RecordsLength = 2 * EpochRecord.Length;
        return [(byte)(RecordsLength >> 16), RecordsLength >> 8, RecordsLength & 0xFF, .. previousRecord, .. record, .. appendProofs];
    }
}
