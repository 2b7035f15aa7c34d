namespace Optiks.Storage;

/// <summary>The result of work that runs in a transaction.</summary>
/// <param name="Value">The value to return to the caller.</param>
/// <param name="Commit">Whether the transaction is to be committed.</param>
public readonly record struct WriteResult<T>(T Value, bool Commit);
