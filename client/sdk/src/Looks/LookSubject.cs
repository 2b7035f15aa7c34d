using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// An owner's key, or an owner's user with its device list and the keys of its devices. The owner looks at both in the same way; this class
/// says what differs.
/// </summary>
internal abstract class LookSubject
{
    protected LookSubject(StructureKey chain)
    {
        Chain = chain;
    }

    /// <summary>The chain of the key or of the list.</summary>
    public StructureKey Chain { get; }

    /// <summary>Returns the period from which the owner continues; null for the period that is current when it looks.</summary>
    public abstract ulong? GoesOnFrom(ClientState state);

    /// <summary>Begins a question about all versions of one period; an empty record stands for the current period.</summary>
    public abstract VersionsPages AllPages(ReadOnlyMemory<byte> endedRecord);

    /// <summary>Begins the question that the owner asks next (docs/spec/state.md section 3.2).</summary>
    /// <param name="state">State of the client.</param>
    /// <param name="before">Record of the last epoch of the previous period, up to which the owner verified the subject. If it is not null,
    /// the question is step 2 of the hand-over.</param>
    /// <param name="asked">Record of the last epoch of the period in question; null for the current period.</param>
    /// <param name="coverage">The auditors' coverage.</param>
    public abstract VersionsPages OwnPages(ClientState state, EpochRecord? before, EpochRecord? asked, Coverage coverage);

    /// <summary>Returns the state in which the client owns the subject.</summary>
    public virtual ClientState Claim(ClientState current) => current;

    /// <summary>Returns the state in which the owner continues after a period that the log no longer serves.</summary>
    public abstract ClientState Miss(ClientState current, EpochRecord end);

    /// <summary>
    /// Tells whether verified answers show that nobody could see anything of the subject in an ended period, so that no server can answer a
    /// question about it there.
    /// </summary>
    public virtual bool WasHidden(ClientState state, IClientStateStore store, EpochRecord end) => false;

    /// <summary>Returns the state in which the owner continues after a period in which the subject was hidden.</summary>
    public virtual ClientState BeginAfter(ClientState current, EpochRecord end, Coverage coverage) => current;

    /// <summary>
    /// Tells whether the subject belongs to a user who is known to have left. The log may have erased such a user's values, so nobody can
    /// show them any more.
    /// </summary>
    public abstract bool HasLeft(ClientState state);

    /// <summary>Tells whether the owner continues from the same version in two states.</summary>
    public bool IsSameAt(ClientState one, ClientState other) =>
        (GoesOnFrom(one) ?? 0, Position(one)) == (GoesOnFrom(other) ?? 0, Position(other));

    private (ulong Period, ulong Version) Position(ClientState state) =>
        state.OwnOf(Chain)?.At is { } at ? (at.Period, at.Version) : (0, 0);
}
