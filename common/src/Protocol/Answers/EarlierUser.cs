namespace Optiks.Protocol;

/// <summary>EarlierUser is one to whom a username led before it led to another (docs/spec/recycled-names.md).</summary>
/// <param name="User">User id.</param>
/// <param name="SinceEpoch">Epoch from which on the username led to the user.</param>
/// <param name="LeftEpoch">Epoch in which the user left for good.</param>
public sealed record EarlierUser(ReadOnlyMemory<byte> User, ulong SinceEpoch, ulong LeftEpoch);
