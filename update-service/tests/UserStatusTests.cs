using System.Text.RegularExpressions;
using Optiks.Storage;
using Optiks.UpdateService.Endpoints;
using Optiks.UpdateService.Tests.Support;

namespace Optiks.UpdateService.Tests;

/// <summary>Tests the status of requests about users.</summary>
public sealed partial class UserStatusTests
{
    [Fact]
    public async Task A_published_request_lists_its_items_by_their_numbers()
    {
        await using Service service = await Service.StartAsync();
        await service.Log.StartAsync();
        string created = await AcceptAsync(
            service,
            """{"user":"u","changes":[{"op":"create","usernames":["alice"],"devices":[{"device":"d2","value":"2"},{"device":"d1","value":"1"}]},{"op":"add-username","username":"bob"}]}""");
        await service.Log.PublishAsync();
        Assert.Equal(
            """
            "epoch":1,"items":[{"item":0,"structure":"devices","key_b64":"dQ","version":1,"period":0},{"item":1,"structure":"usernames","key_b64":"YWxpY2U","version":0,"period":0},
            {"item":2,"structure":"usernames","key_b64":"Ym9i","version":0,"period":0},{"item":3,"structure":"keys","key_b64":"ZDI","version":1,"period":0},
            {"item":4,"structure":"keys","key_b64":"ZDE","version":1,"period":0}],
            "proof":{"method":"POST","href":"/v1/users/lookup?min_epoch=1","epoch":"/v1/epochs/1?min_epoch=1"}
            """.ReplaceLineEndings(""),
            await PublishedAsync(service, created));

        // If the device list stays unchanged, the status has no item for it; if it changes, the status has one.
        string set = await AcceptAsync(service, """{"user":"u","changes":[{"op":"set-device","device":"d1","value":"3"}]}""");
        await service.Log.PublishAsync();
        string removed = await AcceptAsync(service, """{"user":"u","changes":[{"op":"remove-device","device":"d1"}]}""");
        await service.Log.PublishAsync();
        string left = await AcceptAsync(service, """{"user":"u","changes":[{"op":"decommission"}]}""");
        await service.Log.PublishAsync();
        Assert.Contains(
            "\"items\":[{\"item\":1,\"structure\":\"keys\",\"key_b64\":\"ZDE\",\"version\":2,\"period\":0}],\"proof\":{\"method\":\"POST\",\"href\":\"/v1/users/lookup?", await PublishedAsync(service, set), StringComparison.Ordinal);
        Assert.Contains(
            "\"items\":[{\"item\":0,\"structure\":\"devices\",\"key_b64\":\"dQ\",\"version\":2,\"period\":0}],\"proof\":{\"method\":\"POST\",\"href\":\"/v1/users/lookup?", await PublishedAsync(service, removed), StringComparison.Ordinal);
        Assert.Contains(
            "\"items\":[{\"item\":1,\"structure\":\"decommissioned\",\"key_b64\":\"dQ\",\"version\":0,\"period\":0}],\"proof\":{\"method\":\"POST\",\"href\":\"/v1/users/lookup?", await PublishedAsync(service, left), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_refused_request_says_why()
    {
        await using Service service = await Service.StartAsync();
        await service.Log.StartAsync();
        foreach (RefusalReason reason in Enum.GetValues<RefusalReason>().Where(IsOfUsers))
        {
            service.Log.Refusing = _ => new Refusal(reason, 1, new ExpectedVersion(0, 7));
            string id = await AcceptAsync(service, """{"user":"u","changes":[{"op":"set-device","device":"d","value":"v"}]}""");
            await service.Log.PublishAsync();
            Assert.Equal(
                $$$"""{"request_id":"{{{id}}}","status":"refused","reason":"{{{RefusalNames.Get(reason)}}}","item":1,"current":{"period":0,"version":7}}""",
                (await service.GetAsync($"/v1/updates/{id}")).Json.GetRawText());
        }
    }

    [Fact]
    public void The_reasons_are_those_of_the_page_in_its_order()
    {
        string[] page = [.. File.ReadLines(Path.Combine(AppContext.BaseDirectory, "spec", "users.md"))
            .SkipWhile(line => !line.StartsWith("| reason of the refusal |", StringComparison.Ordinal)).Skip(2)
            .TakeWhile(line => line.StartsWith('|'))
            .Select(line => Name().Match(line).Groups[1].Value)];
        Assert.Equal(page, Enum.GetValues<RefusalReason>().Where(IsOfUsers).Select(RefusalNames.Get));
        // The enumeration RefusalReason of the database has the same names for the reasons as the answers.
        Assert.All(Enum.GetValues<RefusalReason>(), reason =>
            Assert.Equal($"{reason}", RefusalNames.Get(reason).Replace("-", "", StringComparison.Ordinal), ignoreCase: true));
        Assert.Throws<StorageCorruptException>(() => RefusalNames.Get(0));
        Assert.Throws<StorageCorruptException>(() => RefusalNames.Get((RefusalReason)(Enum.GetValues<RefusalReason>().Length + 1)));
    }

    // In the enumeration, the reasons of erasures come after the reasons of requests about users.
    private static bool IsOfUsers(RefusalReason reason) => reason is >= RefusalReason.ExpectedVersion and <= RefusalReason.DeviceLimit;

    private static async Task<string> AcceptAsync(Service service, string body)
    {
        Answer accepted = await service.PostUsersAsync(body);
        Assert.Equal(202, accepted.Status);
        return accepted.Text("request_id")!;
    }

    // Asserts that the request is published, and returns the part of the answer after the id and the status.
    private static async Task<string> PublishedAsync(Service service, string id)
    {
        string text = (await service.GetAsync($"/v1/updates/{id}")).Json.GetRawText();
        string start = $$"""{"request_id":"{{id}}","status":"published",""";
        Assert.StartsWith(start, text, StringComparison.Ordinal);
        return text[start.Length..^1];
    }

    [GeneratedRegex("`([a-z-]+)`")]
    private static partial Regex Name();
}
