using System.Net.Http.Headers;
using System.Text;
using System.Text.Json.Nodes;
using Optiks.Tests.Shared;
using Optiks.UpdateService.Tests.Support;

namespace Optiks.UpdateService.Tests;

/// <summary>
/// Tests which users a token may change and read about (docs/spec/rest.md section 3). A refused request changes nothing, and the same
/// request is accepted with an API key.
/// </summary>
public sealed class UserTokenTests : IDisposable
{
    private readonly AccountSystem _accounts = AccountSystem.OfEd25519("signer-1");
    private readonly TemporaryFolder _folder = new();

    private string KeysFile => Path.Combine(_folder.Path, "token-keys.json");

    public void Dispose()
    {
        _accounts.Dispose();
        _folder.Dispose();
    }

    [Theory]
    [InlineData("""{"user":"user 17","changes":[{"op":"add-device","device":"phone","value":"v"}]}""")]
    [InlineData(
        """{"changes":[{"op":"set-device","device":"phone","value":"v"},{"op":"remove-device","device":"laptop"}],"user_b64":"dXNlciAxNw"}""")]
    [InlineData(
        """[{"user":"user 17","changes":[{"op":"remove-device","device":"phone"}]},{"user":"user 17","changes":[{"op":"decommission"}]}]""")]
    public async Task A_token_changes_its_own_users_devices_and_has_it_leave(string body)
    {
        await using Service service = await StartAsync();
        Authorize(service, "update", "user 17", "phone");
        Assert.Equal(202, (await service.PostUsersAsync(body)).Status);
    }

    [Theory]
    [InlineData("""{"user":"user 18","changes":[{"op":"decommission"}]}""", "$.user")]
    [InlineData("""{"changes":[{"op":"decommission"}],"user_b64":"dXNlciAxOA"}""", "$.user_b64")]
    [InlineData("""{"user":"user 17 ","changes":[{"op":"decommission"}]}""", "$.user")]
    [InlineData("""[{"user":"user 17","changes":[{"op":"decommission"}]},{"user":"user 1","changes":[{"op":"decommission"}]}]""",
        "$[1].user")]
    [InlineData("""{"user":"user 17","changes":[{"op":"create","usernames":["alice"]}]}""", "$.changes[0].op")]
    [InlineData("""{"changes":[{"usernames":["alice"],"op":"create"}]}""", "$.changes[0].op")]
    [InlineData(
        """[{"user":"user 17","changes":[{"op":"add-device","device":"phone","value":"v"},{"op":"add-username","username":"alice"}]}]""",
        "$[0].changes[1].op")]
    [InlineData("""{"user":"user 17","changes":[{"op":"add-device","device":"alice","value":"v"}]}""", "$.changes[0].device")]
    [InlineData(
        """[{"user":"user 17","changes":[{"op":"add-device","device":"phone","value":"v"},{"value":"v","device_b64":"YWxpY2U","op":"add-device"}]}]""", "$[0].changes[1].device_b64")]
    public async Task What_is_not_its_own_is_refused_by_its_place(string body, string field)
    {
        await using Service service = await StartAsync();
        AuthenticationHeaderValue backend = service.Client.DefaultRequestHeaders.Authorization!;
        string before = service.Database.Contents();
        Authorize(service, "update", "user 17", "phone");
        (await service.PostUsersAsync(body)).IsProblem("forbidden", 403, field);
        Assert.Equal(before, service.Database.Contents());
        service.Client.DefaultRequestHeaders.Authorization = backend;
        Assert.Equal(202, (await service.PostUsersAsync(body)).Status);
    }

    [Fact]
    public async Task A_token_without_the_user_or_the_scope_changes_nothing()
    {
        await using Service service = await StartAsync();
        const string Body = """{"user":"alice","changes":[{"op":"set-device","device":"alice","value":"v"}]}""";
        string before = service.Database.Contents();
        // The token names "alice" only as a key, which does not include the user "alice".
        Authorize(service, "update", user: null, "alice");
        (await service.PostUsersAsync(Body)).IsProblem("forbidden", 403, "$.user");
        Authorize(service, "history lookup", "alice");
        (await service.PostUsersAsync(Body)).IsProblem("forbidden", 403, null);
        service.Client.DefaultRequestHeaders.Authorization = null;
        (await service.PostUsersAsync(Body)).IsProblem("unauthorized", 401, null);
        service.Client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", service.OtherKey);
        (await service.PostUsersAsync(Body)).IsProblem("forbidden", 403, null);
        // The service refuses the request before it reads the body, so the malformed body makes no difference.
        (await service.PostUsersAsync("nonsense")).IsProblem("forbidden", 403, null);
        Assert.Equal(before, service.Database.Contents());
        Authorize(service, "update", "alice");
        Assert.Equal(202, (await service.PostUsersAsync(Body)).Status);
    }

    [Fact]
    public async Task The_status_of_a_request_is_its_users()
    {
        await using Service service = await StartAsync();
        await service.Log.StartAsync();
        string created = await AcceptAsync(
            service, """{"user":"u","changes":[{"op":"create","usernames":["alice"],"devices":[{"device":"phone","value":"1"}]}]}""");
        await service.Log.PublishAsync();
        string set = await AcceptAsync(service, """{"user":"u","changes":[{"op":"set-device","device":"phone","value":"2"}]}""");
        string plain = (await service.PostAsync("""{"key":"phone 2","value":"1"}""")).Text("status_url")!;
        await service.Log.PublishAsync();
        string left = await AcceptAsync(service, """{"user":"u","changes":[{"op":"decommission"}]}""");
        await service.Log.PublishAsync();

        Authorize(service, "update", "u");
        Assert.Equal(
            "alice",
            Encoding.UTF8.GetString(
                Convert.FromBase64String(
                    (await service.GetAsync(created)).Json.GetProperty("items")[1].GetProperty("key_b64").GetString() + "=")));
        Assert.Equal("dQ", (await service.GetAsync(left)).Json.GetProperty("items")[0].GetProperty("key_b64").GetString());
        (await service.GetAsync(plain)).IsProblem("forbidden", 403, "{request_id}");
        // If a request did not change the device list, the database does not store the request's user. The status then shows only those
        // keys that the token names.
        Assert.DoesNotContain("key_b64", await PublishedAsync(service, set), StringComparison.Ordinal);
        Authorize(service, "update", "u", "phone");
        Assert.Contains("key_b64", await PublishedAsync(service, set), StringComparison.Ordinal);
        Authorize(service, "update", user: null, "phone");
        Assert.Contains("key_b64", await PublishedAsync(service, set), StringComparison.Ordinal);
        Authorize(service, "update", user: null, "phone 2");
        (await service.GetAsync(set)).IsProblem("forbidden", 403, "{request_id}");
        Assert.Equal("published", (await service.GetAsync(plain)).Text("status"));

        // The token names all keys of the request, but belongs to another user.
        Authorize(service, "update", "v", "phone", "alice", "u");
        foreach (string path in (string[])[created, left])
        {
            Answer refused = await service.GetAsync(path);
            refused.IsProblem("forbidden", 403, "{request_id}");
            Assert.DoesNotContain("dQ", refused.Text("detail"), StringComparison.Ordinal);
        }
    }

    private static async Task<string> AcceptAsync(Service service, string body)
    {
        Answer accepted = await service.PostUsersAsync(body);
        Assert.Equal(202, accepted.Status);
        return accepted.Text("status_url")!;
    }

    private static async Task<string> PublishedAsync(Service service, string path)
    {
        Answer answer = await service.GetAsync(path);
        Assert.Equal("published", answer.Text("status"));
        return answer.Json.GetRawText();
    }

    private void Authorize(Service service, string scope, string? user, params IEnumerable<string> keys)
    {
        JsonObject claims = AccountSystem.Claims(TimeProvider.System.GetUtcNow(), scope, keys);
        if (user is not null)
        {
            claims["user"] = user;
        }
        service.Client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", _accounts.Token(claims));
    }

    private Task<Service> StartAsync()
    {
        AtomicFile.Write(KeysFile, Encoding.UTF8.GetBytes(AccountSystem.KeySet(_accounts)), AtomicFile.PublicMode);
        return Service.StartAsync(new() { ["Optiks:Tokens:Audience"] = AccountSystem.Audience, ["Optiks:Tokens:KeysFile"] = KeysFile });
    }
}
