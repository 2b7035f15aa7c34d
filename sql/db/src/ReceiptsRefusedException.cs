namespace Optiks.Db;

/// <summary>The exception with which a command refuses to authorise receipt keys with the log key. The message gives the reason in one
/// sentence.</summary>
internal sealed class ReceiptsRefusedException(string message, Exception? inner = null) : Exception(message, inner);
