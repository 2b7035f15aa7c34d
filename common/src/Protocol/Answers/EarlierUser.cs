namespace Optiks.Protocol;

/// <summary>Describes a user to whom a username led before it led to another user (docs/spec/recycled-names.md).</summary>
/// <param name="User">The user id.</param>
/// <param name="SinceEpoch">The epoch from which the username led to the user.</param>
/// <param name="LeftEpoch">The epoch in which the user left permanently.</param>
public sealed record EarlierUser(ReadOnlyMemory<byte> User, ulong SinceEpoch, ulong LeftEpoch);
