namespace Optiks.Protocol;

/// <summary>
/// Holds a whole HistoryAnswer or MonitorAnswer (docs/spec/answers.md section 1), decoded for display. Its contents are not verified.
/// </summary>
/// <param name="Head">The head that ties the answer to a checkpoint.</param>
/// <param name="Versions">The versions of each key, in the order of the request.</param>
public sealed record VersionsAnswer(AnswerHead Head, IReadOnlyList<Versions> Versions)
{
    /// <summary>Decodes bytes that are one answer. Throws <see cref="EncodingException"/> if the bytes are invalid.</summary>
    public static VersionsAnswer Decode(ReadOnlyMemory<byte> octets)
    {
        var reader = new TlsReader(octets);
        var answer = new VersionsAnswer(
            AnswerHead.Decode(ref reader), reader.Vector(1, uint.MaxValue, "versions", Protocol.Versions.Decode));
        reader.End("versions answer");
        return answer;
    }
}
