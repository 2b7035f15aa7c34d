using Optiks.Native;

namespace Optiks.Client;

/// <summary>
/// The facts about a key or a device list that a client's question names: the known version, in the form that the verifier expects, and
/// that version's value.
/// </summary>
internal readonly record struct RememberedKey(KnownKey Known, byte[]? Value)
{
    /// <summary>
    /// Returns the version that the client can name as known. The client names a version only if it still has the version's value, and only
    /// if auditors cover the epochs since the client verified the version's proofs. Otherwise the client requests the full proof again.
    /// </summary>
    public static RememberedKey Of(KeyState? state, Coverage coverage, IClientStateStore store)
    {
        if (state is null)
        {
            return default;
        }
        byte[]? value = state.ValueSha256 is null || !coverage.MayLeaveOut(state.ProvenEpoch ?? 0)
            ? null
            : store.FindValue(state.ValueSha256);
        return state.Version == 0 || value is not null
            ? new RememberedKey(new KnownKey(state.LeastEpoch, state.Period, state.Version, state.Time, state.AbsentEpoch), value)
            : new RememberedKey(new KnownKey(state.LeastEpoch, 0, 0, 0, null), null);
    }
}
