namespace Optiks.Client;

/// <summary>An alarm, with the verified version that the alarm is about.</summary>
/// <param name="Alarm">The alarm, as the client's state has it.</param>
/// <param name="Version">
/// The version that the alarm is about. Its value has the hash in the alarm, or is null if the value was erased. The version is null if the
/// alarm is not about a version, or if the log no longer serves the period.
/// </param>
public sealed record ReviewedAlarm(Alarm Alarm, KeyVersion? Version);
