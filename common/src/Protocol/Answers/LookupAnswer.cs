namespace Optiks.Protocol;

/// <summary>Holds a whole LookupAnswer (docs/spec/answers.md section 1), decoded for display. Its contents are not verified.</summary>
/// <param name="Head">The head that ties the answer to a checkpoint.</param>
/// <param name="Lookups">One <see cref="Lookup"/> for each key, in the order of the request.</param>
public sealed record LookupAnswer(AnswerHead Head, IReadOnlyList<Lookup> Lookups)
{
    /// <summary>Decodes bytes that are one answer. Throws <see cref="EncodingException"/> if the bytes are invalid.</summary>
    public static LookupAnswer Decode(ReadOnlyMemory<byte> octets)
    {
        var reader = new TlsReader(octets);
        var answer = new LookupAnswer(AnswerHead.Decode(ref reader), reader.Vector(1, uint.MaxValue, "lookups", Lookup.Decode));
        reader.End("lookup answer");
        return answer;
    }
}
