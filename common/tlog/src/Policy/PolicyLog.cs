namespace Optiks.Tlog;

/// <summary>Describes a log whose checkpoints a policy accepts.</summary>
/// <param name="Key">The log's key, of type 0x01; the key's name is the origin.</param>
/// <param name="Url">The log's URL in the policy; null if the policy gives none.</param>
public sealed record PolicyLog(VerifierKey Key, string? Url);
