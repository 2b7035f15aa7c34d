namespace Optiks.Db;

/// <summary>Thrown when the log's key does not vouch for the given keys; the message says why in one sentence.</summary>
internal sealed class ReceiptsRefusedException(string message, Exception? inner = null) : Exception(message, inner);
