using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>A user whose device list its owner monitors, together with the keys of the devices.</summary>
internal sealed class UserSubject : LookSubject
{
    private readonly KeyName _user;
    private readonly KeyName _name;

    /// <param name="user">Id of the user.</param>
    /// <param name="name">The username under which the owner monitors the user, and which it thereby claims.</param>
    public UserSubject(KeyName user, KeyName name)
        : base(StructureKey.OfList(user.Id))
    {
        _user = user;
        _name = name;
    }

    public override ulong? GoesOnFrom(ClientState state) => state.OwnPersonOf(_user.Id)?.GoesOnFrom;

    public override VersionsPages AllPages(ReadOnlyMemory<byte> endedRecord) => new UserPages(_user) { EndedRecord = endedRecord };

    public override VersionsPages OwnPages(ClientState state, EpochRecord? before, EpochRecord? asked, Coverage coverage) =>
        UserPages.OfOwner(_user, state, before, asked, coverage);

    public override ClientState Claim(ClientState current) => PersonRules.Claim(current, _user.Id, [_name.Id]);

    public override ClientState Miss(ClientState current, EpochRecord end) => PersonRules.Miss(current, _user.Id, end);

    // If no name led to the user in that period, no lookup can have shown the user there.
    public override bool WasHidden(ClientState state, IClientStateStore store, EpochRecord end) =>
        state.OwnOf(Chain)?.List is null && OwnNames.LedNowhere(state, store, _user.Id, end.Epoch);

    public override ClientState BeginAfter(ClientState current, EpochRecord end, Coverage coverage) =>
        PersonRules.BeginAfter(current, _user.Id, end, coverage);

    public override bool HasLeft(ClientState state) => state.LeftEpochOf(_user.Id) is not null;
}
