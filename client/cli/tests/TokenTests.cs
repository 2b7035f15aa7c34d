using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Cli.Tests;

/// <summary>Tests that the command line creates tokens for trials, and uses tokens instead of an API key.</summary>
public sealed class TokenTests
{
    [Fact]
    public async Task A_token_is_made_and_checked_by_the_printed_key()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        byte[] seed = RandomNumberGenerator.GetBytes(Ed25519.SeedLength);
        string file = WriteKey(fixture, seed);
        CommandRun made = await CommandRun.RunAsync(fixture, "token", "create", "alice", "bob", "--key-file", file, "--audience", "log",
            "--scope", "update,history", "--subject", "user 17", "--lifetime", "60");
        Assert.Equal(0, made.Code);
        string token = made.Out.TrimEnd('\n');
        string[] parts = token.Split('.');
        JsonElement claims = Json(parts[1]);
        long now = fixture.Clock.GetUtcNow().ToUnixTimeSeconds();
        Assert.Equal($$"""{"aud":"log","sub":"user 17","scope":"update history","iat":{{now}},"exp":{{now + 60}},"keys":["alice","bob"]}""",
            claims.GetRawText());

        CommandRun printed = await CommandRun.RunAsync(fixture, "token", "jwks", "--key-file", file);
        Assert.Equal((0, ""), (printed.Code, printed.Error));
        JsonElement key = printed.Json.GetProperty("keys")[0];
        Assert.Equal(key.GetProperty("kid").GetString(), Json(parts[0]).GetProperty("kid").GetString());
        Assert.True(Base64UrlText.TryDecode(key.GetProperty("x").GetString()!, out byte[]? publicKey)
            && Base64UrlText.TryDecode(parts[2], out byte[]? signature)
            && Ed25519.Verify(publicKey, Encoding.ASCII.GetBytes($"{parts[0]}.{parts[1]}"), signature));

        // The output never contains the key that signs tokens.
        foreach (string output in (string[])[made.Out, made.Error, printed.Out])
        {
            Assert.DoesNotContain(Base64UrlText.Encode(seed), output, StringComparison.Ordinal);
            Assert.DoesNotContain(Convert.ToBase64String(seed)[..40], output, StringComparison.Ordinal);
        }
        Assert.Empty(fixture.Server.Requests);
    }

    [Fact]
    public async Task A_token_can_go_to_a_file_of_its_own_and_be_json()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        string file = WriteKey(fixture, RandomNumberGenerator.GetBytes(Ed25519.SeedLength));
        string output = fixture.Folder.In("alice.token");
        string[] command = ["token", "create", "YWxpY2U", "--b64", "--key-file", file, "--audience", "log", "--scope", "history", "--kid",
            "key-2", "--user-b64", "AAE", "--out", output];
        CommandRun made = await CommandRun.RunAsync(fixture, command);
        Assert.Equal((0, ""), (made.Code, made.Out));
        Assert.Equal(AtomicFile.PrivateMode, File.GetUnixFileMode(output));
        string[] parts = (await File.ReadAllTextAsync(output, TestContext.Current.CancellationToken)).TrimEnd('\n').Split('.');
        Assert.Equal("key-2", Json(parts[0]).GetProperty("kid").GetString());
        Assert.Equal(("alice", "AAE"),
            (Json(parts[1]).GetProperty("keys")[0].GetString(), Json(parts[1]).GetProperty("user_b64").GetString()));

        CommandRun again = await CommandRun.RunAsync(fixture, command);
        Assert.Equal(ExitCodes.Usage, again.Code);
        Assert.Contains("exists already", again.Error, StringComparison.Ordinal);

        CommandRun json = await CommandRun.RunAsync(fixture, [.. command[..^2], "--json"]);
        Assert.Equal("valid", json.Json.GetProperty("verdict").GetString());
        Assert.Equal(3, json.Json.GetProperty("token").GetString()!.Split('.').Length);
    }

    [Theory]
    [InlineData("--scope", "snapshot", "not a scope of tokens")]
    [InlineData("--scope", "update,admin", "not a scope of tokens")]
    [InlineData("--lifetime", "0", "at least one second")]
    [InlineData("--kid", "../key", "64 letters")]
    [InlineData("--user-b64", "*", "base64url")]
    [InlineData("--key-file", "/nowhere/signer.pem", "missing")]
    public async Task What_makes_no_token_is_said(string option, string value, string says)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        var options = new Dictionary<string, string>
        {
            ["--key-file"] = WriteKey(fixture, RandomNumberGenerator.GetBytes(Ed25519.SeedLength)),
            ["--audience"] = "log",
            ["--scope"] = "update",
            [option] = value,
        };
        CommandRun run = await CommandRun.RunAsync(
            fixture, ["token", "create", "alice", .. options.SelectMany(one => (string[])[one.Key, one.Value])]);
        Assert.Equal((ExitCodes.Usage, ""), (run.Code, run.Out));
        Assert.Contains(says, run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_token_file_is_used_instead_of_an_API_key()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        string file = fixture.Folder.In("alice.token");
        AtomicFile.Write(file, Encoding.ASCII.GetBytes(FixtureServer.Token + "\n"), AtomicFile.PrivateMode);
        CommandRun run = await CommandRun.RunAsync(fixture, apiKey: "", [], "history", "alice", "--token-file", file);
        Assert.True(run.Code == 0, run.Error);

        AtomicFile.Write(file, "e30.e30.AB"u8, AtomicFile.PrivateMode);
        CommandRun refused = await CommandRun.RunAsync(fixture, "history", "alice", "--token-file", file);
        Assert.Equal(ExitCodes.Unreachable, refused.Code);
        Assert.DoesNotContain("e30.e30", refused.Out + refused.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("a token", 0x180, "does not hold a token")]
    [InlineData("e30.e30", 0x180, "does not hold a token")]
    [InlineData("e30.e30.AA\r\nHost: x", 0x180, "does not hold a token")]
    [InlineData("e30.e30.AA", 0x1A4, "chmod 600")]
    public async Task A_file_that_is_none_of_a_token_is_refused_unsent(string contents, int mode, string says)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        string file = fixture.Folder.In("token");
        AtomicFile.Write(file, Encoding.ASCII.GetBytes(contents), (UnixFileMode)mode);
        CommandRun run = await CommandRun.RunAsync(fixture, "history", "alice", "--token-file", file);
        Assert.Equal(ExitCodes.Usage, run.Code);
        Assert.Contains(says, run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("e30", run.Error, StringComparison.Ordinal);
        Assert.Empty(fixture.Server.Requests);
    }

    [Fact]
    public async Task Two_credentials_are_one_too_many()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        CommandRun run = await CommandRun.RunAsync(fixture, "history", "alice", "--token-file", "x", "--api-key", FixtureServer.ApiKey);
        Assert.Equal(ExitCodes.Usage, run.Code);
        Assert.Contains("not both", run.Error, StringComparison.Ordinal);
    }

    private static string WriteKey(Fixture fixture, byte[] seed)
    {
        string file = fixture.Folder.In("signer.pem");
        string pem = PemEncoding.WriteString("PRIVATE KEY", [.. Convert.FromHexString("302e020100300506032b657004220420"), .. seed]);
        AtomicFile.Write(file, Encoding.ASCII.GetBytes(pem + "\n"), AtomicFile.PrivateMode);
        return file;
    }

    private static JsonElement Json(string part) => Base64UrlText.TryDecode(part, out byte[]? octets)
        ? JsonSerializer.Deserialize<JsonElement>(octets)
        : throw new InvalidDataException(part);
}
