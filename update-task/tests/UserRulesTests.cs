using System.Text;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.UpdateTask.Rules;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>
/// Tests each rule of docs/spec/users.md section 7, with requests that break the rule and requests that obey it. Also tests the order in
/// which the rules apply.
/// </summary>
public sealed class UserRulesTests
{
    private static readonly Configuration s_configuration = new() { Origin = "log.example/test", MaxDevices = 3, MaxValueLength = 24 };

    [Fact]
    public void A_user_who_left_changes_nothing_and_is_not_made_again()
    {
        foreach (UserUpdate update in (UserUpdate[])[Alice.Create("al"), Alice.AddUsername("al"), Alice.AddDevice("d", "1"),
            Alice.Decommission()])
        {
            AssertRefused(RefusalReason.UserLeft, 0, 4, Decide(update, list: ["c"], listVersion: 4, hasLeft: true));
        }
        AssertUnchanged(4, Decide(Alice.Decommission(), list: ["c"], listVersion: 4));
    }

    [Fact]
    public void A_user_is_made_once_and_before_everything_else()
    {
        AssertRefused(RefusalReason.UserExists, 0, 1, Decide(Alice.Create("al"), list: [], listVersion: 1));
        AssertList([], Decide(Alice.Create("al")));
        AssertList(["a", "b"], Decide(Alice.Create("al", "ally").AddDevice("b", "1").AddDevice("a", "2")));
        foreach (UserUpdate update in (UserUpdate[])[Alice.AddUsername("al"), Alice.AddDevice("d", "1"), Alice.SetDevice("d", "1"),
            Alice.RemoveDevice("d"), Alice.Decommission()])
        {
            AssertRefused(RefusalReason.UserUnknown, 0, 0, Decide(update));
        }
    }

    [Fact]
    public void A_username_has_one_user()
    {
        AssertRefused(RefusalReason.UsernameTaken, 2, 0, Decide(Alice.Create("al", "ally"), taken: ["ally"]));
        AssertRefused(RefusalReason.UsernameTaken, 1, 0, Decide(Alice.AddUsername("al"), list: ["c"], listVersion: 1, taken: ["al"]));
        AssertUnchanged(1, Decide(Alice.AddUsername("al"), list: ["c"], listVersion: 1, taken: ["ally"]));
    }

    [Fact]
    public void A_username_whose_user_has_left_is_given_again_where_the_log_says_so()
    {
        AssertList([], Decide(Alice.Create("al", "ally"), taken: ["al", "ally"], freed: ["al", "ally"]));
        AssertUnchanged(1, Decide(Alice.AddUsername("al"), list: ["c"], listVersion: 1, taken: ["al"], freed: ["al"]));
        AssertRefused(RefusalReason.UsernameTaken, 2, 0, Decide(Alice.Create("al", "ally"), taken: ["al", "ally"], freed: ["al"]));
    }

    [Fact]
    public void A_device_is_added_once()
    {
        AssertRefused(RefusalReason.DeviceTaken, 2, 1, Decide(Alice.Create("al").AddDevice("d", "1"), taken: ["d"]));
        AssertRefused(RefusalReason.DeviceTaken, 1, 1, Decide(Alice.AddDevice("c", "1"), list: ["c"], listVersion: 1, taken: ["c"]));
        // The device is on the list, but its key does not exist. The log's lists and keys contradict each other here, but the request must
        // still be refused.
        AssertRefused(RefusalReason.DeviceTaken, 1, 0, Decide(Alice.AddDevice("c", "1"), list: ["c"], listVersion: 1));
        AssertList(["b", "c", "d"], Decide(Alice.AddDevice("b", "1").AddDevice("d", "1"), list: ["c"], listVersion: 1, taken: ["c"]));
    }

    [Fact]
    public void Only_a_device_on_the_list_is_set_or_removed()
    {
        AssertRefused(RefusalReason.DeviceUnknown, 1, 1, Decide(Alice.SetDevice("d", "1"), list: ["c"], listVersion: 3, taken: ["d"]));
        AssertUnchanged(3, Decide(Alice.SetDevice("c", "1"), list: ["c"], listVersion: 3, taken: ["c"]));
        AssertRefused(RefusalReason.DeviceUnknown, 0, 3, Decide(Alice.RemoveDevice("d"), list: ["c"], listVersion: 3, taken: ["d"]));
        AssertList(["b"], Decide(Alice.RemoveDevice("c").SetDevice("b", "1"), list: ["b", "c"], listVersion: 3, taken: ["b", "c"]));
        AssertList([], Decide(Alice.RemoveDevice("c"), list: ["c"], listVersion: 3));
    }

    [Fact]
    public void A_list_has_so_many_ids_and_so_many_octets()
    {
        AssertRefused(RefusalReason.DeviceLimit, 0, 1, Decide(Alice.AddDevice("d", "1"), list: ["a", "b", "c"], listVersion: 1));
        AssertList(["b", "c", "d"], Decide(Alice.AddDevice("d", "1").RemoveDevice("a"), list: ["a", "b", "c"], listVersion: 1));
        // An encoded device list has a header of 3 bytes and 1 length byte before each id. With an id of 21 bytes, it exceeds the limit of
        // 24 bytes.
        AssertRefused(RefusalReason.DeviceLimit, 0, 0, Decide(Alice.Create("al").AddDevice(new string('d', 21), "1")));
        AssertList([new string('d', 20)], Decide(Alice.Create("al").AddDevice(new string('d', 20), "1")));
    }

    [Fact]
    public void Rules_are_met_in_their_order()
    {
        UserUpdate All() => Alice.AddUsername("al").AddDevice("d", "1").RemoveDevice("x");
        string[] full = ["a", "b", "c"];
        AssertRefused(RefusalReason.UserLeft, 0, 1, Decide(All(), full, 1, hasLeft: true, taken: ["al", "d"]));
        AssertRefused(RefusalReason.UserUnknown, 0, 0, Decide(All(), taken: ["al", "d"]));
        AssertRefused(RefusalReason.UserExists, 0, 1, Decide(Alice.Create("al").AddDevice("d", "1"), full, 1, taken: ["al", "d"]));
        AssertRefused(RefusalReason.UsernameTaken, 1, 0, Decide(All(), full, 1, taken: ["al", "d"]));
        AssertRefused(RefusalReason.DeviceTaken, 2, 1, Decide(All(), full, 1, taken: ["d"]));
        AssertRefused(RefusalReason.DeviceUnknown, 0, 1, Decide(All(), full, 1));
        AssertRefused(RefusalReason.DeviceLimit, 0, 1, Decide(Alice.AddUsername("al").AddDevice("d", "1"), full, 1));
    }

    [Fact]
    public void A_refused_request_has_no_leaf_and_an_unchanged_list_none_of_its_own()
    {
        AcceptRequest request = Alice.SetDevice("c", "1").Request();
        var pending = new PendingRequest(request.RequestId, 1, request.BodyHash, request.Items);
        var refusal = new Refusal(RefusalReason.UserLeft, 0, default);
        var refused = new Decision { Refusal = refusal };
        var result = new ItemResult.Refused(refusal);
        Assert.Equal((result, result), (refused.FindWithoutLeaf(0)!, refused.FindWithoutLeaf(1)!));
        var unchanged = new Decision { WithoutLeaf = new ItemResult.Unchanged(new ExpectedVersion(0, 1)) };
        Assert.Equal([false, true], [unchanged.HasLeaf(0), unchanged.HasLeaf(1)]);
        Assert.Equal("1"u8.ToArray(), unchanged.GetValue(pending, 1).ToArray());
        var changed = new Decision { List = "list"u8.ToArray() };
        Assert.Equal([true, true], [changed.HasLeaf(0), changed.HasLeaf(1)]);
        Assert.Equal(["list"u8.ToArray(), "1"u8.ToArray()],
            [changed.GetValue(pending, 0).ToArray(), changed.GetValue(pending, 1).ToArray()]);
    }

    private static UserUpdate Alice => UserUpdate.Of("alice");

    // Decides a request by the rules. The parameter `taken` names the usernames and devices that already exist, each at version 1.
    private static Decision Decide(UserUpdate update, string[]? list = null, ulong listVersion = 0, bool hasLeft = false,
        string[]? taken = null, string[]? freed = null)
    {
        AcceptRequest request = update.Request();
        var pending = new PendingRequest(request.RequestId, 1, request.BodyHash, request.Items);
        var user = new PendingUserRequest(
            pending,
            UserChange.Parse(pending)!,
            [.. request.Items.Select(
                (item, i) => new ExpectedVersion(
                    0, i == UserChange.ItemIndex ? listVersion : taken?.Contains(LogModel.Text(item.Key)) == true ? 1ul : 0))],
            hasLeft)
        {
            Freed =
                [.. request.Items.Select(
                    item => item.Structure == StructureId.Usernames && freed?.Contains(LogModel.Text(item.Key)) == true)],
        };
        return UserRules.Decide(user, [.. (list ?? []).Select(device => (ReadOnlyMemory<byte>)Encoding.Latin1.GetBytes(device))],
            s_configuration);
    }

    private static void AssertRefused(RefusalReason reason, int item, ulong version, Decision decision) =>
        Assert.Equal(new Decision { Refusal = new Refusal(reason, item, new ExpectedVersion(0, version)) }, decision);

    private static void AssertUnchanged(ulong version, Decision decision) =>
        Assert.Equal(new Decision { WithoutLeaf = new ItemResult.Unchanged(new ExpectedVersion(0, version)) }, decision);

    private static void AssertList(string[] devices, Decision decision)
    {
        Assert.Equal((null, null), (decision.Refusal, decision.WithoutLeaf));
        Assert.Equal(devices, DeviceList.Decode(decision.List!.Value).Select(LogModel.Text));
    }
}
