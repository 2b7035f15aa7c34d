namespace Optiks.Db.Keys;

/// <summary>Thrown when keys stay as they are; the message says why in one sentence.</summary>
internal sealed class KekRefusedException(string message, Exception? inner = null) : Exception(message, inner);
