namespace Optiks.Client;

/// <summary>An alarm about a user with the list or value in question.</summary>
/// <param name="Alarm">The alarm as the state keeps it.</param>
/// <param name="Value">Octets of the list or the value, which hash to the alarm's. Null when the alarm is about neither, or nobody can show
/// it any more: it was erased, or the user has left.</param>
public sealed record ReviewedUserAlarm(UserAlarm Alarm, ReadOnlyMemory<byte>? Value);
