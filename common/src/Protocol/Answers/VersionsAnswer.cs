namespace Optiks.Protocol;

/// <summary>VersionsAnswer is a whole HistoryAnswer or MonitorAnswer (docs/spec/answers.md section 1), decoded for display. Nothing in it has been verified.</summary>
/// <param name="Head">Ties it to a checkpoint.</param>
/// <param name="Versions">One for each key, in the request's order.</param>
public sealed record VersionsAnswer(AnswerHead Head, IReadOnlyList<Versions> Versions)
{
    /// <summary>Decode reads the whole answer. Throws <see cref="EncodingException"/>.</summary>
    public static VersionsAnswer Decode(ReadOnlyMemory<byte> octets)
    {
        var reader = new TlsReader(octets);
        var answer = new VersionsAnswer(AnswerHead.Decode(ref reader), reader.Vector(1, uint.MaxValue, "versions", Protocol.Versions.Decode));
        reader.End("versions answer");
        return answer;
    }
}
