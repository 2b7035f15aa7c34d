namespace Optiks.Client;

/// <summary>
/// Everything that a client remembers of a user and that belongs to no chain (docs/spec/state.md sections 1 and 3). The state has no person
/// for a user who is current and not owned: such a user has only the chain of its device list.
/// </summary>
public sealed record Person
{
    /// <summary>The epoch of the last answer that showed that the user has left; null if no answer showed that.</summary>
    public ulong? LeftEpoch { get; init; }

    /// <summary>The owner's part; null if this client does not own the user.</summary>
    public OwnPerson? Own { get; init; }
}
