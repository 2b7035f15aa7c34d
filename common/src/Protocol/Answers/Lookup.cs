namespace Optiks.Protocol;

/// <summary>Holds the answer for one key (docs/spec/pahd.md section 2).</summary>
/// <param name="Version">a, the latest version; 0 if absent.</param>
/// <param name="Members">The rungs of the ladder that the client does not know.</param>
/// <param name="Absent">The absence of every version in C(a), which rules out a later version.</param>
public sealed record Lookup(ulong Version, IReadOnlyList<Member> Members, IReadOnlyList<NonMember> Absent)
{
    private const uint MaxVectorLength = (1u << 24) - 1;

    internal static Lookup Decode(ref TlsReader reader) => new(
        reader.UInt64("lookup.version"),
        reader.Vector(0, MaxVectorLength, "lookup.members", Member.Decode),
        reader.Vector(0, MaxVectorLength, "lookup.absent", NonMember.Decode));
}
