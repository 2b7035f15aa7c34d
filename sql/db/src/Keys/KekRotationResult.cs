using Optiks.Secrets;

namespace Optiks.Db.Keys;

/// <summary>The result of a rotation, after which everything in the database and the log's key open with one key alone.</summary>
/// <param name="To">The id of that key.</param>
/// <param name="Periods">How many periods' secrets this rotation wrapped again; those already wrapped with the key do not count.</param>
/// <param name="LogKey">The file with the log's key, if it was wrapped again.</param>
/// <param name="Others">The other keys, and the bundles that need them.</param>
internal sealed record KekRotationResult(KeyId To, int Periods, string? LogKey, IReadOnlyList<KeyUse> Others);
