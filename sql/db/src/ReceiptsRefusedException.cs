namespace Optiks.Db;

/// <summary>Says in a sentence why the log's key does not vouch for what it was asked to.</summary>
internal sealed class ReceiptsRefusedException(string message, Exception? inner = null) : Exception(message, inner);
