namespace Optiks.Storage.Tests;

/// <summary>Tests which period's secrets a replay uses, and which rows of periods it refuses.</summary>
public sealed class PeriodRowsTests
{
    private static readonly ReadOnlyMemory<byte> s_octets = new byte[] { 1 };

    // Rows of three periods, which begin at epochs 0, 5 and 9, and of a fourth period, which is prepared but has not begun.
    private static readonly PeriodRow[] s_good =
    [
        new(0, PeriodState.Destroyed, 0, 0, default, s_octets),
        new(1, PeriodState.Ended, 5, 7, s_octets, s_octets),
        new(2, PeriodState.Current, 9, 0, s_octets, s_octets),
        new(3, PeriodState.Next, null, null, s_octets, s_octets),
    ];

    [Fact]
    public void The_period_of_an_epoch_is_never_one_that_is_unfinished_or_destroyed()
    {
        Assert.Null(PeriodRows.Contradiction(s_good));
        Assert.Equal(2UL, PeriodRows.Current(s_good).Period);
        Assert.Equal(3UL, PeriodRows.Next(s_good)!.Period);
        Assert.Null(PeriodRows.Next(s_good[..3]));
        Assert.Equal([1UL, 1, 2, 2], new ulong[] { 5, 8, 9, ulong.MaxValue }.Select(epoch => PeriodRows.At(s_good, epoch).Period));
        Assert.Contains("whose secrets were destroyed", Assert.Throws<StorageCorruptException>(() => PeriodRows.At(s_good, 4)).Message,
            StringComparison.Ordinal);
        PeriodRow[] destroying = Changed(1, s_good[1] with { State = PeriodState.Destroying });
        Assert.Throws<StorageCorruptException>(() => PeriodRows.At(destroying, 8));
        Assert.Equal(2UL, PeriodRows.At(destroying, 9).Period);
        // A period in the state `Destroying` may or may not have its secrets, because its destruction may have been resumed.
        Assert.Null(PeriodRows.Contradiction(Changed(1, destroying[1] with { WrappedSecrets = default })));
    }

    [Fact]
    public void Rows_that_contradict_each_other_are_refused_and_say_why()
    {
        (PeriodRow[] Rows, string Says)[] bad =
        [
            ([], "has 0 current periods"),
            (s_good[..2], "has 0 current periods"),
            (Changed(1, s_good[1] with { State = PeriodState.Current }), "has 2 current periods"),
            ([.. s_good[..2], .. s_good[3..], s_good[2]], "has period 3 in the place of period 2"),
            (s_good[1..], "has period 1 in the place of period 0"),
            ([.. s_good, s_good[3] with { Period = 4 }], "Period 4 has state Next"),
            (Changed(0, s_good[0] with { State = PeriodState.Ended, WrappedSecrets = s_octets },
                (1, s_good[1] with { State = PeriodState.Destroying })), "Period 1 has state Destroying"),
            (Changed(1, s_good[1] with { State = (PeriodState)9 }, (0, s_good[0] with { State = (PeriodState)9 })), "has state 9"),
            (Changed(3, s_good[3] with { FirstEpoch = 12, Copies = 0 }), "Period 3 has state Next, and its first epoch is 12"),
            (Changed(2, s_good[2] with { FirstEpoch = null }), "Period 2 has state Current, and its first epoch is "),
            (Changed(2, s_good[2] with { Copies = null }), "Period 2 has state Current"),
            (Changed(2, s_good[2] with { FirstEpoch = 5 }), "Period 2 cannot begin at epoch 5"),
            (Changed(0, s_good[0] with { FirstEpoch = 1 }), "Period 0 cannot begin at epoch 1"),
            (Changed(0, s_good[0] with { Copies = 1 }), "Period 0 cannot begin at epoch 0"),
            (Changed(0, s_good[0] with { WrappedSecrets = s_octets }), "Period 0 has secrets although they were destroyed"),
            (Changed(1, s_good[1] with { WrappedSecrets = default }), "Period 1 has no secrets"),
            (Changed(3, s_good[3] with { WrappedSecrets = default }), "Period 3 has no secrets"),
        ];
        foreach ((PeriodRow[] rows, string says) in bad)
        {
            foreach (Func<object?> choose in new Func<object?>[] { () => PeriodRows.Current(rows), () => PeriodRows.Next(rows),
                () => PeriodRows.At(rows, 9) })
            {
                Assert.Contains(says, Assert.Throws<StorageCorruptException>(choose).Message, StringComparison.Ordinal);
            }
        }
    }

    private static PeriodRow[] Changed(int index, PeriodRow row, params (int Index, PeriodRow Row)[] others)
    {
        PeriodRow[] rows = [.. s_good];
        foreach ((int at, PeriodRow changed) in others.Prepend((index, row)))
        {
            rows[at] = changed;
        }
        return rows;
    }
}
