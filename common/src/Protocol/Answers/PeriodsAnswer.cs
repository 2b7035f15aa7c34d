namespace Optiks.Protocol;

/// <summary>
/// Holds a whole PeriodsAnswer, which shows where periods began and ended (docs/spec/periods.md section 4). The answer is decoded for
/// display, not verified.
/// </summary>
/// <param name="Head">The head that ties the answer to a checkpoint.</param>
/// <param name="Bounds">The records of the periods' first and last epochs, in the order of epochs.</param>
public sealed record PeriodsAnswer(AnswerHead Head, IReadOnlyList<PartRecord> Bounds)
{
    private const uint MaxBoundsLength = (1 << 24) - 1;

    /// <summary>Decodes bytes that are one answer. Throws <see cref="EncodingException"/> if the bytes are invalid.</summary>
    public static PeriodsAnswer Decode(ReadOnlyMemory<byte> octets)
    {
        var reader = new TlsReader(octets);
        var answer = new PeriodsAnswer(AnswerHead.Decode(ref reader), reader.Vector(0, MaxBoundsLength, "bounds", PartRecord.Decode));
        reader.End("answer about periods");
        return answer;
    }
}
