namespace Optiks.Storage.Driver;

/// <summary>WriteResult of work in a transaction.</summary>
/// <param name="Value">What the caller gets.</param>
/// <param name="Commit">Whether the transaction is to be kept.</param>
public readonly record struct WriteResult<T>(T Value, bool Commit);
