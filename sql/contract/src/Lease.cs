namespace Optiks.Storage;

/// <summary>The right to write epochs.</summary>
/// <param name="Holder">Name of the holder, unique to the process.</param>
/// <param name="Fence">Fencing token; every conditional write names it.</param>
/// <param name="End">When it ends, by the database's clock.</param>
public sealed record Lease(string Holder, long Fence, DateTimeOffset End);
