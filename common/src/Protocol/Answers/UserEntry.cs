namespace Optiks.Protocol;

/// <summary>Holds an Entry of the structure <c>usernames</c> or <c>decommissioned</c> (docs/spec/users.md section 1).</summary>
/// <param name="Record">The number of the record to which the entry's proof refers. The number 0 is the head's record, and i is the record
/// of the answer's i-th part.</param>
/// <param name="Member">The membership proof of the entry's leaf; null if the entry is absent.</param>
/// <param name="Absent">The proof that the entry is absent; null if the entry is present.</param>
public sealed record UserEntry(byte Record, Member? Member, NonMember? Absent)
{
    internal static UserEntry Decode(ref TlsReader reader)
    {
        byte record = reader.UInt8("entry.record");
        return reader.UInt8("entry.kind") switch
        {
            0 => new UserEntry(record, null, NonMember.Decode(ref reader)),
            1 => new UserEntry(record, Member.Decode(ref reader), null),
            _ => throw new EncodingException(Reason.MalformedEnum, "entry.kind"),
        };
    }
}
