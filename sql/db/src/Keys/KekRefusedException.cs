namespace Optiks.Db.Keys;

/// <summary>Thrown when a command refuses to change keys. The message says why in one sentence.</summary>
internal sealed class KekRefusedException(string message, Exception? inner = null) : Exception(message, inner);
