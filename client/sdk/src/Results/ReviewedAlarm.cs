namespace Optiks.Client;

/// <summary>ReviewedAlarm is an alarm and the verified version that it is of.</summary>
/// <param name="Alarm">Alarm as it is held.</param>
/// <param name="Version">The version; its value hashes to the alarm's, or is null when it was erased. Null: the alarm is about none, or nobody serves the period any more.</param>
public sealed record ReviewedAlarm(OwnerAlarm Alarm, KeyVersion? Version);
