namespace Optiks.Protocol;

/// <summary>Lists all users that a username led to (docs/spec/recycled-names.md section 2).</summary>
/// <param name="Record">The record that <paramref name="Names"/> refers to: 0 for the head's, i for the i-th of the parts.</param>
/// <param name="Names">The ids of the first user, the second, ...</param>
/// <param name="Left">The proofs that each user but the last has left.</param>
public sealed record Generations(byte Record, Versions Names, IReadOnlyList<UserEntry> Left)
{
    private const uint MaxLeftLength = (1u << 24) - 1;

    /// <summary>All users but the last, beginning with the first, as a verified answer shows them.</summary>
    public IReadOnlyList<EarlierUser> Earlier => [.. Names.Members.Zip(Left, (name, left) => new EarlierUser(name.Value, name.Epoch, left.Member!.Epoch))];

    internal static Generations Decode(ref TlsReader reader) => new(
        reader.UInt8("generations.record"), Versions.Decode(ref reader), reader.Vector(0, MaxLeftLength, "generations.left", UserEntry.Decode));
}
