namespace Optiks.Protocol;

/// <summary>
/// Holds a whole answer about where periods began and ended (docs/spec/periods.md section 4), decoded for display. Its contents are not
/// verified.
/// </summary>
/// <param name="Head">The head that ties the answer to a checkpoint.</param>
/// <param name="Bounds">The records of the periods' first and last epochs, by epoch.</param>
public sealed record PeriodsAnswer(AnswerHead Head, IReadOnlyList<PartRecord> Bounds)
{
    private const uint MaxBoundsLength = (1 << 24) - 1;

    /// <summary>Decodes the whole answer. Throws <see cref="EncodingException"/>.</summary>
    public static PeriodsAnswer Decode(ReadOnlyMemory<byte> octets)
    {
        var reader = new TlsReader(octets);
        var answer = new PeriodsAnswer(AnswerHead.Decode(ref reader), reader.Vector(0, MaxBoundsLength, "bounds", PartRecord.Decode));
        reader.End("answer about periods");
        return answer;
    }
}
