namespace Optiks.Storage.Driver;

/// <summary>The result of work in a transaction.</summary>
/// <param name="Value">The value for the caller.</param>
/// <param name="Commit">Whether the transaction is to be committed.</param>
public readonly record struct WriteResult<T>(T Value, bool Commit);
