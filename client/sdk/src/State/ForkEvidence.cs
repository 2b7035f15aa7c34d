using System.Globalization;
using System.Text;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>ForkEvidence collects two signed views of a log that differ: anyone with the log's key can check them.</summary>
internal static class ForkEvidence
{
    /// <summary>Files of a fork between the kept head and an answer. The answer's own record and checkpoint are copied out when it decodes.</summary>
    public static Dictionary<string, ReadOnlyMemory<byte>> Collect(TrustAnchor anchor, HeadState? kept, ReadOnlyMemory<byte> record, ReadOnlyMemory<byte> checkpoint, ReadOnlyMemory<byte> answer, string source)
    {
        var files = new Dictionary<string, ReadOnlyMemory<byte>>
        {
            ["trust.json"] = anchor.ToJson(),
            ["answer.bin"] = answer,
            ["received-record.bin"] = record,
            ["README.txt"] = Encoding.UTF8.GetBytes(Explain(anchor, source)),
        };
        if (!checkpoint.IsEmpty)
        {
            files["received-checkpoint.txt"] = checkpoint;
        }
        if (kept is not null)
        {
            files["kept-checkpoint.txt"] = kept.Checkpoint;
            files["kept-record.bin"] = kept.Record;
        }
        return files;
    }

    /// <summary>Name of a new evidence folder.</summary>
    public static string Name(TimeProvider time) => time.GetUtcNow().ToString("yyyyMMdd'T'HHmmss'Z'", CultureInfo.InvariantCulture);

    private static string Explain(TrustAnchor anchor, string source) =>
        $"""
        The log {anchor.Configuration.Origin} showed two views that cannot both be its only history.

        kept-checkpoint.txt, kept-record.bin   what this client had verified before
        received-checkpoint.txt, received-record.bin   what {source} answered
        answer.bin   the whole answer
        trust.json   the log's key, with which both checkpoints verify

        Two checkpoints of one size with different roots, or two records of one epoch that differ, are proof.
        A received record without a received checkpoint was answered for the kept checkpoint.
        Publish these files, and ask the operator and the auditors.

        """;
}
