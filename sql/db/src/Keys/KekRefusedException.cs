namespace Optiks.Db.Keys;

/// <summary>The exception with which a command refuses to change keys. The message gives the reason in one sentence.</summary>
internal sealed class KekRefusedException(string message, Exception? inner = null) : Exception(message, inner);
