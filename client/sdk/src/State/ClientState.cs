using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>ClientState is everything a client remembers of one log. Immutable; a store replaces it whole. Keys are base64url of their octets.</summary>
public sealed record ClientState
{
    /// <summary>LogId in base64url: state of one log is never used with another.</summary>
    public required string LogId { get; init; }

    /// <summary>Head verified last; null at first.</summary>
    public HeadState? Head { get; init; }

    /// <summary>Keys that were looked up.</summary>
    public ImmutableDictionary<string, KeyState> Keys { get; init; } = ImmutableDictionary<string, KeyState>.Empty;

    /// <summary>Owned keys: updated or monitored here.</summary>
    public ImmutableDictionary<string, OwnedKey> Owned { get; init; } = ImmutableDictionary<string, OwnedKey>.Empty;

    /// <summary>Fork that was found; null: none.</summary>
    public ForkState? Fork { get; init; }

    /// <summary>Least epoch that may be accepted for a key.</summary>
    internal ulong LeastEpoch(string key) => Keys.TryGetValue(key, out KeyState? state) ? state.LeastEpoch : 0;
}
