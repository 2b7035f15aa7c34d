using Optiks.Secrets;

namespace Optiks.Db.Keys;

/// <summary>What a rotation did, after which everything in the database and the log's key open with one key alone.</summary>
/// <param name="To">That key.</param>
/// <param name="Periods">Periods whose secrets were wrapped anew; those that were before count not.</param>
/// <param name="LogKey">File with the log's key, if it was wrapped anew.</param>
/// <param name="Others">The other keys, and which bundles need them.</param>
internal sealed record KekRotationResult(KeyId To, int Periods, string? LogKey, IReadOnlyList<KeyUse> Others);
