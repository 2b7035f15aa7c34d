namespace Optiks.Client;

/// <summary>Says how two signed checkpoints of a log relate.</summary>
/// <param name="IsConsistent">True if the larger tree begins with the smaller tree, or both checkpoints are of one tree. False if the log
/// forked; <paramref name="EvidencePath"/> then has the proof.</param>
/// <param name="EvidencePath">Folder with the evidence of a fork; null if the checkpoints are consistent.</param>
public sealed record BoardRelation(bool IsConsistent, string? EvidencePath);
