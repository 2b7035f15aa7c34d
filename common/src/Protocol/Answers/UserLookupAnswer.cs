namespace Optiks.Protocol;

/// <summary>Holds a whole answer about users (docs/spec/users.md section 1), decoded for display. Its contents are not verified.</summary>
/// <param name="Head">The head that ties the answer to a checkpoint.</param>
/// <param name="Parts">The records of other epochs to which entries refer.</param>
/// <param name="Users">One lookup for each username, in the request's order.</param>
public sealed record UserLookupAnswer(AnswerHead Head, IReadOnlyList<PartRecord> Parts, IReadOnlyList<UserLookup> Users)
{
    /// <summary>Decodes the whole answer. Throws <see cref="EncodingException"/>.</summary>
    public static UserLookupAnswer Decode(ReadOnlyMemory<byte> octets)
    {
        var reader = new TlsReader(octets);
        var answer = new UserLookupAnswer(
            AnswerHead.Decode(ref reader),
            reader.Vector(0, ushort.MaxValue, "parts", PartRecord.Decode),
            reader.Vector(1, uint.MaxValue, "users", UserLookup.Decode));
        reader.End("user lookup answer");
        return answer;
    }
}
