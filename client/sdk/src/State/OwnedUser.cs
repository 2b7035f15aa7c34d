using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>OwnedUser is what was asked for here of a user's device list. Values of its devices are those of owned keys.</summary>
public sealed record OwnedUser
{
    /// <summary>Expected changes, in the order in which they were asked for.</summary>
    public ImmutableArray<ExpectedUserChange> Expected { get; init => field = value.IsDefault ? [] : value; } = [];
}
