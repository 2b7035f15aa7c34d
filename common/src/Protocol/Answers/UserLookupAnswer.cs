namespace Optiks.Protocol;

/// <summary>UserLookupAnswer is a whole answer about users (docs/spec/users.md section 1), decoded for display. Nothing in it has been verified.</summary>
/// <param name="Head">Ties it to a checkpoint.</param>
/// <param name="Parts">Records of other epochs that entries refer to.</param>
/// <param name="Users">One for each username, in the request's order.</param>
public sealed record UserLookupAnswer(AnswerHead Head, IReadOnlyList<PartRecord> Parts, IReadOnlyList<UserLookup> Users)
{
    /// <summary>Decode reads the whole answer. Throws <see cref="EncodingException"/>.</summary>
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
