namespace Optiks.Client;

/// <summary>The state that a client keeps of a user that it looked up by any name (docs/spec/state.md section 1).</summary>
public sealed record UserState
{
    /// <summary>The epoch of the last answer that showed that the user has left; null if no answer showed that.</summary>
    public ulong? LeftEpoch { get; init; }

    /// <summary>The state of the device list, whose octets are stored like a value; null once the user has left.</summary>
    public KeyState? Devices { get; init; }

    /// <summary>The least epoch that the client may accept for the user.</summary>
    internal ulong LeastEpoch => Math.Max(LeftEpoch ?? 0, Devices?.LeastEpoch ?? 0);
}
