using Optiks.Secrets;

namespace Optiks.Db.Keys;

/// <summary>The result of a rotation, after which one key alone opens all secrets in the database and the log's key.</summary>
/// <param name="To">The id of the one key that opens everything.</param>
/// <param name="Periods">The number of periods whose secrets this rotation wrapped again, without periods whose secrets the key already
/// wrapped.</param>
/// <param name="LogKey">The file with the wrapped log key, if this rotation wrapped the log key again; otherwise null.</param>
/// <param name="Others">The other keys, and the bundles that need them.</param>
internal sealed record KekRotationResult(KeyId To, int Periods, string? LogKey, IReadOnlyList<KeyUse> Others);
