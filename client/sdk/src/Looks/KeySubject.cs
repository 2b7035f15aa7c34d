using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>A key that its owner monitors by itself.</summary>
internal sealed class KeySubject : LookSubject
{
    private readonly KeyName _key;

    public KeySubject(KeyName key)
        : base(StructureKey.OfKey(key.Id))
    {
        _key = key;
    }

    public override ulong? GoesOnFrom(ClientState state) => state.OwnOf(Chain)?.At?.Period;

    public override VersionsPages AllPages(ReadOnlyMemory<byte> endedRecord) => new KeyPages(_key) { EndedRecord = endedRecord };

    public override VersionsPages OwnPages(ClientState state, EpochRecord? before, EpochRecord? asked, Coverage coverage) =>
        KeyPages.OfOwner(_key, state, before, asked, coverage);

    public override ClientState Miss(ClientState current, EpochRecord end) =>
        PeriodEnds.Tidy(current.SetOwn(Chain, OwnRules.Miss(current.OwnOf(Chain)!, end)));

    public override bool HasLeft(ClientState state) => PersonRules.HasLeft(state, _key.Id);
}
