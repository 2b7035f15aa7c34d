using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>
/// Tests the rules by which an owner compares versions with what it set. Each case runs for a key and for a device list, because one rule
/// serves both.
/// </summary>
public sealed class OwnRulesTests
{
    // The contents of versions: values of a key, or lists with one device.
    private static readonly string[] s_names = ["a", "b", "c"];
    private static readonly Guid s_first = Guid.CreateVersion7();
    private static readonly Guid s_second = Guid.CreateVersion7();

    public static TheoryData<bool, string, string, string> Cases { get; } = Both(
        // from: period/version and content of the cursor; shown: versions of period 1, + for a copy, ? for an erased value; expected alarms
        ("1/1 a", "1 a", ""), // a version that an earlier look compared
        ("1/1 a", "1 a, 2 b", ""), // the owner set b
        ("1/1 a", "1 a, 2 c", "2"),
        ("1/1 a", "1 a, 2 ?", "2"), // nobody can tell what an erased value was
        ("1/1 a", "1 a, 2 b, 3 b", "3"), // a change is ticked off once
        ("0/3 a", "+1 a", ""), // the copy has the last value
        ("0/3 a", "+1 c", "1"),
        ("0/3 a", "+1 ?", "1"),
        ("0/3 a", "+1 a, 2 b", ""),
        ("1/0 a", "+1 a", ""), // after a period without guarantee
        ("1/0 a", "1 b", "0"), // the copy is missing, although the owner set b
        ("1/0 a", "+1 c, 2 b", "1"));

    [Theory]
    [MemberData(nameof(Cases))]
    public void A_version_is_known_or_set_or_copied_or_an_alarm(bool isList, string from, string shown, string alarms)
    {
        Own own = Owner(isList, from, "b");
        Own next = Look(own, isList, shown, null);
        Assert.Equal(alarms, string.Join(',', next.Alarms.Select(alarm => alarm.Version)));
        TimedVersion last = Versions(isList, shown)[^1];
        Assert.Equal((1UL, last.Version.Version, 50UL), (next.At!.Period, next.At.Version, next.At.AbsentEpoch));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_copy_that_was_compared_ticks_off_nothing_whatever_the_verdict(bool isList)
    {
        foreach (Reason verdict in (Reason[])[Reason.Valid, Reason.HandoverValue, Reason.HandoverUnset])
        {
            Own next = Look(Owner(isList, "0/3 a", "b"), isList, "+1 b", verdict);
            Assert.Equal(verdict == Reason.Valid ? [] : [verdict], next.Alarms.Select(alarm => alarm.Handover!.Value));
            Assert.Single(next.Expected);
        }
        Own lost = Look(Owner(isList, "0/3 a", "b"), isList, "1 c", Reason.HandoverMissing);
        Assert.Equal([(0UL, Reason.HandoverMissing), (1UL, null)], lost.Alarms.Select(alarm => (alarm.Version, alarm.Handover)));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_change_that_a_later_one_overtook_is_an_alarm_once_it_is_shown(bool isList)
    {
        Own own = Owner(isList, "1/1 a", "b", "c");
        Own later = Look(own, isList, "1 a, 2 c", null);
        Assert.Empty(later.Alarms);
        Assert.Equal([(s_first, true)], later.Expected.Select(change => (change.RequestId, change.IsOvertaken)));
        Own undone = Look(later, isList, "2 c, 3 b", null);
        Assert.Equal([3UL], undone.Alarms.Select(alarm => alarm.Version));
        Assert.Empty(undone.Expected);
    }

    [Fact]
    public void A_key_of_another_period_need_not_begin_with_a_copy_but_a_list_must()
    {
        Assert.Empty(Look(Owner(false, "0/3 a", "b"), false, "1 b", null).Alarms);
        Own list = Look(Owner(true, "0/3 a", "b"), true, "1 b", null);
        Assert.Equal([Reason.HandoverMissing], list.Alarms.Select(alarm => alarm.Handover!.Value));
    }

    [Fact]
    public void A_list_after_one_that_was_not_opened_matches_no_change()
    {
        Own next = Look(Owner(true, "1/1 a", "b"), true, "2 ?, 3 b", null);
        Assert.Equal([2UL, 3UL], next.Alarms.Select(alarm => alarm.Version));
        Assert.Single(next.Expected);
    }

    private static TheoryData<bool, string, string, string> Both(params (string From, string Shown, string Alarms)[] cases)
    {
        var data = new TheoryData<bool, string, string, string>();
        foreach ((string from, string shown, string alarms) in cases)
        {
            data.Add(false, from, shown, alarms);
            data.Add(true, from, shown, alarms);
        }
        return data;
    }

    private static Own Look(Own own, bool isList, string shown, Reason? handover)
    {
        IReadOnlyList<TimedVersion> versions = Versions(isList, shown);
        return OwnRules.Look(own, 1, 50, versions, handover, isList ? versions[^1].Version.Value?.ToArray() ?? Content(true, "a") : null);
    }

    private static Own Owner(bool isList, string from, params string[] set)
    {
        byte[] content = Content(isList, from[4..]);
        ulong version = (ulong)(from[2] - '0');
        return new Own
        {
            At = new Cursor
            {
                Period = (ulong)(from[0] - '0'),
                Version = version,
                Time = version,
                AbsentEpoch = version == 0 ? null : 9,
                ValueSha256 = ValueHash.Of(content),
            },
            List = isList ? content : null,
            Expected = [.. set.Select((name, i) => Change(isList, i == 0 ? s_first : s_second, name))],
        };
    }

    // A change of a list removes every device and adds one, so that it can be made of each list.
    private static Expected Change(bool isList, Guid id, string name) => isList
        ? new Expected(id) { Added = [Id(name)], Removed = [.. s_names.Where(other => other != name).Select(Id)] }
        : new Expected(id, ValueHash.Of(Content(false, name)));

    private static TimedVersion[] Versions(bool isList, string shown) =>
    [
        .. shown.Split(", ").Select(one =>
        {
            bool isCopy = one[0] == '+';
            string[] parts = one.TrimStart('+').Split(' ');
            ulong number = ulong.Parse(parts[0], System.Globalization.CultureInfo.InvariantCulture);
            ReadOnlyMemory<byte>? value = parts[1] == "?" ? default(ReadOnlyMemory<byte>?) : Content(isList, parts[1]);
            return new TimedVersion(new KeyVersion(number, isCopy ? 0 : 20 + number, value) { Period = 1 }, 20 + number);
        }),
    ];

    private static byte[] Content(bool isList, string name) => isList ? DeviceList.Encode([Octets(name)]) : Octets(name);

    private static byte[] Octets(string name) => System.Text.Encoding.UTF8.GetBytes(name);

    private static string Id(string name) => Base64UrlText.Encode(Octets(name));
}
