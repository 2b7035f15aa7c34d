namespace Optiks.Protocol;

/// <summary>Holds the part of a lookup answer that is about one key (docs/spec/pahd.md section 2).</summary>
/// <param name="Version">The latest version, a; 0 if the key is absent.</param>
/// <param name="Members">The membership proofs of those versions in R(a) that the client does not know yet.</param>
/// <param name="Absent">The proofs that all versions in C(a) are absent. Together they prove that no version after a exists.</param>
public sealed record Lookup(ulong Version, IReadOnlyList<Member> Members, IReadOnlyList<NonMember> Absent)
{
    private const uint MaxVectorLength = (1u << 24) - 1;

    internal static Lookup Decode(ref TlsReader reader) => new(
        reader.UInt64("lookup.version"),
        reader.Vector(0, MaxVectorLength, "lookup.members", Member.Decode),
        reader.Vector(0, MaxVectorLength, "lookup.absent", NonMember.Decode));
}
