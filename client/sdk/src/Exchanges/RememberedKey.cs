using Optiks.Native;

namespace Optiks.Client;

/// <summary>
/// The facts about a key or a device list that a client's question names: the known version, as the verifier takes it, and its value.
/// </summary>
internal readonly record struct RememberedKey(KnownKey Known, byte[]? Value)
{
    /// <summary>
    /// Returns what the client can name as known. A version is known only while its value is available and auditors cover the time since it
    /// was proven. Otherwise the full proof is requested again.
    /// </summary>
    public static RememberedKey Of(KeyState? state, Coverage coverage, IClientStateStore store)
    {
        if (state is null)
        {
            return default;
        }
        byte[]? value = state.ValueSha256 is null || !coverage.MayLeaveOut(state.ProvenEpoch ?? 0) ? null : store.FindValue(state.ValueSha256);
        return state.Version == 0 || value is not null
            ? new RememberedKey(new KnownKey(state.LeastEpoch, state.Period, state.Version, state.Time, state.AbsentEpoch), value)
            : new RememberedKey(new KnownKey(state.LeastEpoch, 0, 0, 0, null), null);
    }
}
