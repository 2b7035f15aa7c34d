using Optiks.Secrets;

namespace Optiks.Db.Keys;

/// <summary>The result of a rotation. After it, one key opens the log key and all secrets in the database.</summary>
/// <param name="To">The id of the one key that opens everything.</param>
/// <param name="Periods">The number of periods whose secrets this rotation wrapped again. It excludes periods whose secrets the key had
/// already wrapped.</param>
/// <param name="LogKey">The path of the file with the wrapped log key, if this rotation wrapped that key again; otherwise null.</param>
/// <param name="Others">The other keys of the ring, with the bundles that need them.</param>
internal sealed record KekRotationResult(KeyId To, int Periods, string? LogKey, IReadOnlyList<KeyUse> Others);
