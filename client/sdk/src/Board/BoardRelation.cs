namespace Optiks.Client;

/// <summary>BoardRelation is how two signed checkpoints of a log relate.</summary>
/// <param name="IsConsistent">The larger tree begins with the smaller one, or both are one tree. False: the log forked, and <paramref name="EvidencePath"/> has what proves it.</param>
/// <param name="EvidencePath">Folder of evidence; null: there is nothing to prove.</param>
public sealed record BoardRelation(bool IsConsistent, string? EvidencePath);
