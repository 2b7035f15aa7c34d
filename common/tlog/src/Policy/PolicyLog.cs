namespace Optiks.Tlog;

/// <summary>Describes a log whose checkpoints a policy accepts.</summary>
/// <param name="Key">The log's key, of type 0x01. The key's name is the log's origin.</param>
/// <param name="Url">The URL that the policy gives for the log; null if it gives no URL.</param>
public sealed record PolicyLog(VerifierKey Key, string? Url);
