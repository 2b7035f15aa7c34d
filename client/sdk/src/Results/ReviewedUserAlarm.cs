namespace Optiks.Client;

/// <summary>An alarm about a user with the list or value in question.</summary>
/// <param name="Alarm">The alarm, as the client's state has it.</param>
/// <param name="Value">Octets of the list or value, which have the hash in the alarm. Null if the alarm is about neither a list nor a
/// value. Also null if nobody can show the list or value any more, because it was erased or the user has left.</param>
public sealed record ReviewedUserAlarm(UserAlarm Alarm, ReadOnlyMemory<byte>? Value);
