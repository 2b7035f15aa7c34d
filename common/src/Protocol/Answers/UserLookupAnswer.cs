namespace Optiks.Protocol;

/// <summary>Holds a whole UserLookupAnswer (docs/spec/users.md section 1), decoded for display. Its contents are not verified.</summary>
/// <param name="Head">The head that ties the answer to a checkpoint.</param>
/// <param name="Parts">The records of epochs other than the head's epoch, to which entries refer.</param>
/// <param name="Users">One <see cref="UserLookup"/> for each username, in the order of the request.</param>
public sealed record UserLookupAnswer(AnswerHead Head, IReadOnlyList<PartRecord> Parts, IReadOnlyList<UserLookup> Users)
{
    /// <summary>Decodes bytes that are one answer. Throws <see cref="EncodingException"/> if the bytes are invalid.</summary>
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
