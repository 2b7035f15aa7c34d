namespace Optiks.Storage;

/// <summary>The right to write epochs.</summary>
/// <param name="Holder">Name of the holder, unique to the process.</param>
/// <param name="Fence">The fencing token. Every conditional write names it and fails if the database has another token.</param>
/// <param name="End">The end of the lease by the database's clock.</param>
public sealed record Lease(string Holder, long Fence, DateTimeOffset End);
