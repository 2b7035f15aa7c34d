namespace Optiks.Protocol;

/// <summary>LookupAnswer is a whole answer (docs/spec/answers.md section 1), decoded for display. Nothing in it has been verified.</summary>
/// <param name="Head">Ties it to a checkpoint.</param>
/// <param name="Lookups">One for each key, in the request's order.</param>
public sealed record LookupAnswer(AnswerHead Head, IReadOnlyList<Lookup> Lookups)
{
    /// <summary>Decode reads the whole answer. Throws <see cref="EncodingException"/>.</summary>
    public static LookupAnswer Decode(ReadOnlyMemory<byte> octets)
    {
        var reader = new TlsReader(octets);
        var answer = new LookupAnswer(AnswerHead.Decode(ref reader), reader.Vector(1, uint.MaxValue, "lookups", Lookup.Decode));
        reader.End("lookup answer");
        return answer;
    }
}
