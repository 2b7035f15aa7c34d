namespace Optiks.Client;

/// <summary>An alarm with its verified version.</summary>
/// <param name="Alarm">The alarm as the state keeps it.</param>
/// <param name="Version">The version; its value hashes to the alarm's, or is null when it was erased. Null when the alarm is not about a
/// version, or the period is no longer served.</param>
public sealed record ReviewedAlarm(OwnerAlarm Alarm, KeyVersion? Version);
