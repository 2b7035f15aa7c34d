namespace Optiks.Client;

/// <summary>OwnerAlarm is a version of an owner's key that the owner did not set here. It stays until it is acknowledged.</summary>
/// <param name="Period">Period of the version.</param>
/// <param name="Version">Version, 1, 2, ...</param>
/// <param name="Epoch">Epoch that inserted it.</param>
/// <param name="ValueSha256">SHA-256 of its value in hexadecimal; null when the value was erased, so that nobody can tell what it was.</param>
public sealed record OwnerAlarm(ulong Period, ulong Version, ulong Epoch, string? ValueSha256 = null);
