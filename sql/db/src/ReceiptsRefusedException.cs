namespace Optiks.Db;

/// <summary>Thrown when the command refuses to authorise the given keys with the log's key. The message says why in one sentence.</summary>
internal sealed class ReceiptsRefusedException(string message, Exception? inner = null) : Exception(message, inner);
