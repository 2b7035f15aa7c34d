namespace Optiks.Client;

/// <summary>Says how two signed checkpoints of a log relate.</summary>
/// <param name="IsConsistent">
/// True if the larger tree begins with the smaller one, or both are one tree. False if the log forked; <paramref name="EvidencePath"/> then
/// has the proof.
/// </param>
/// <param name="EvidencePath">Folder of evidence; null if there is nothing to prove.</param>
public sealed record BoardRelation(bool IsConsistent, string? EvidencePath);
