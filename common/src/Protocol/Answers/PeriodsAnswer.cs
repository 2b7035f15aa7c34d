namespace Optiks.Protocol;

/// <summary>PeriodsAnswer is a whole answer about where periods began and ended (docs/spec/periods.md section 4), decoded for display. Nothing in it has been verified.</summary>
/// <param name="Head">Ties it to a checkpoint.</param>
/// <param name="Bounds">Records of the periods' first and last epochs, by epoch.</param>
public sealed record PeriodsAnswer(AnswerHead Head, IReadOnlyList<PartRecord> Bounds)
{
    private const uint MaxBoundsLength = (1 << 24) - 1;

    /// <summary>Decode reads the whole answer. Throws <see cref="EncodingException"/>.</summary>
    public static PeriodsAnswer Decode(ReadOnlyMemory<byte> octets)
    {
        var reader = new TlsReader(octets);
        var answer = new PeriodsAnswer(AnswerHead.Decode(ref reader), reader.Vector(0, MaxBoundsLength, "bounds", PartRecord.Decode));
        reader.End("answer about periods");
        return answer;
    }
}
