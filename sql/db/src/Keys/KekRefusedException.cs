namespace Optiks.Db.Keys;

/// <summary>Says in a sentence why keys stay as they are.</summary>
internal sealed class KekRefusedException(string message, Exception? inner = null) : Exception(message, inner);
