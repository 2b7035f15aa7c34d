namespace Optiks.Client;

/// <summary>ForkState remembers that the log forked, so that later calls stop too.</summary>
/// <param name="EvidencePath">Folder with both views.</param>
public sealed record ForkState(string EvidencePath);
