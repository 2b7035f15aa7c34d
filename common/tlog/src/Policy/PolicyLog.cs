namespace Optiks.Tlog;

/// <summary>PolicyLog is a log whose checkpoints a policy takes.</summary>
/// <param name="Key">Its key, of type 0x01; the key's name is the origin.</param>
/// <param name="Url">Where the log is, as the policy has it; null: it does not say.</param>
public sealed record PolicyLog(VerifierKey Key, string? Url);
