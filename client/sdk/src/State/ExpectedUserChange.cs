using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>ExpectedUserChange is a request about a user made here that the log has not shown yet.</summary>
/// <param name="RequestId">Id of the request.</param>
/// <param name="Added">Ids of the devices that come onto the list, in base64url.</param>
/// <param name="Removed">Ids of those that leave it, in base64url.</param>
/// <param name="Leaves">The user leaves.</param>
public sealed record ExpectedUserChange(Guid RequestId, ImmutableArray<string> Added, ImmutableArray<string> Removed, bool Leaves);
