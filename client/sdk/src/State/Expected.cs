using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>
/// A change of a chain that was made with this state and that the log has not shown yet (docs/spec/state.md section 3.1). It says either
/// which value a key gets, or which devices a list gains and loses.
/// </summary>
/// <param name="RequestId">Id of the request.</param>
/// <param name="ValueSha256">SHA-256 of the key's value in hexadecimal; null for a change of a device list.</param>
public sealed record Expected(Guid RequestId, string? ValueSha256 = null)
{
    /// <summary>Ids of the devices that the request adds to the list, in base64url.</summary>
    public ImmutableArray<string> Added { get; init; } = [];

    /// <summary>Ids of the devices that the request removes from the list, in base64url.</summary>
    public ImmutableArray<string> Removed { get; init; } = [];

    /// <summary>
    /// Whether the log showed a later change by the owner first. If the log still publishes this change, it undoes the later one, so
    /// monitoring raises an alarm then.
    /// </summary>
    public bool IsOvertaken { get; init; }

    /// <summary>Tells whether two changes belong to one request and expect the same effect.</summary>
    internal bool IsSame(Expected other) => RequestId == other.RequestId && ValueSha256 == other.ValueSha256
        && Added.SequenceEqual(other.Added) && Removed.SequenceEqual(other.Removed);
}
