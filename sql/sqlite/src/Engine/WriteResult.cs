namespace Optiks.Storage.Sqlite.Engine;

/// <summary>WriteResult is what a transaction's work returns, and whether to keep what it wrote.</summary>
internal readonly record struct WriteResult<T>(T Value, bool Commit);
