namespace Optiks.Client;

/// <summary>ReviewedUserAlarm is an alarm about a user with what it is about.</summary>
/// <param name="Alarm">Alarm as it is held.</param>
/// <param name="Value">Octets of the list or the value, which hash to the alarm's; null when it is about none, or when nobody shows it any more: it was erased, or the user has left.</param>
public sealed record ReviewedUserAlarm(UserAlarm Alarm, ReadOnlyMemory<byte>? Value);
