namespace Optiks.Protocol;

/// <summary>Generations are all users that a username led to (docs/spec/recycled-names.md section 2).</summary>
/// <param name="Record">The record that <paramref name="Names"/> refers to: 0 for the head's, i for the i-th of the parts.</param>
/// <param name="Names">The user ids: of the first user, the second, ...</param>
/// <param name="Left">That each of them but the last has left.</param>
public sealed record Generations(byte Record, Versions Names, IReadOnlyList<UserEntry> Left)
{
    private const uint MaxLeftLength = (1u << 24) - 1;

    /// <summary>Earlier users, as an answer that was verified shows them: from the first on, all but the last.</summary>
    public IReadOnlyList<EarlierUser> Earlier => [.. Names.Members.Zip(Left, (name, left) => new EarlierUser(name.Value, name.Epoch, left.Member!.Epoch))];

    internal static Generations Decode(ref TlsReader reader) => new(
        reader.UInt8("generations.record"), Versions.Decode(ref reader), reader.Vector(0, MaxLeftLength, "generations.left", UserEntry.Decode));
}
