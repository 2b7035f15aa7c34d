using System.Text.Json;
using Optiks.Protocol;
using Optiks.Receipts;
using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.Db.Tests;

/// <summary>Tests the commands that make receipt keys and that authorize them with the log key.</summary>
public sealed class ReceiptsCommandTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("optiks-db-").FullName;
    private readonly TrustAnchor _anchor;

    public ReceiptsCommandTests()
    {
        var data = new DataFolder(_folder);
        using var secrets = new FileSecretSource(data, KeyRing.LoadOrCreate(data));
        (_anchor, INoteSigner signer) = secrets.CreateLog(new Configuration { Origin = "log.example.org" });
        (signer as IDisposable)?.Dispose();
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task A_key_is_made_and_the_logs_key_vouches_for_it()
    {
        (int code, string key, _) = await RunAsync("receipts", "key", "log.example.org/receipts/1", "--out", In("receipt.key"));
        Assert.Equal(ExitCodes.Success, code);
        Assert.Equal(AtomicFile.PrivateMode, File.GetUnixFileMode(In("receipt.key")));
        using NoteSigner signer = ReceiptKeyFile.Open(In("receipt.key"));
        Assert.Equal((signer.Key.ToString(), SignatureType.Ed25519), (key.TrimEnd(), signer.Key.Type));
        (code, _, _) = await RunAsync("receipts", "key", "log.example.org/receipts/1", "--out", In("receipt.key"));
        Assert.Equal(ExitCodes.Configuration, code);

        (code, string output, string error) = await RunAsync("receipts", "vouch", key.TrimEnd(), "--days", "30", "--out", In("keys.txt"));
        Assert.Equal((ExitCodes.Success, ""), (code, error));
        Assert.Contains("log.example.org vouches for 1 receipt key until", output, StringComparison.Ordinal);
        Assert.Equal(Reason.Valid, ReceiptKeys.Verify(_anchor, File.ReadAllBytes(In("keys.txt")), out ReceiptKeys? keys));
        ReceiptKey vouched = Assert.Single(keys!.Keys);
        Assert.Equal(signer.Key, vouched.Key);
        Assert.Equal(TimeSpan.FromDays(30) + TimeSpan.FromMinutes(5), TimeSpan.FromMilliseconds(vouched.UntilMs - vouched.FromMs));
        (code, output, _) = await RunAsync("receipts", "vouch", key.TrimEnd(), "--out", In("keys.txt"), "--json");
        Assert.Equal((ExitCodes.Success, 1), (code, JsonDocument.Parse(output).RootElement.GetProperty("keys").GetInt32()));
        // The note is signed with the log key, but no verifier may accept it as a checkpoint.
        Assert.NotEqual(Reason.Valid, Native.LogVerifier.Checkpoint(_anchor, File.ReadAllBytes(In("keys.txt")), out _, out _));
    }

    [Theory]
    [InlineData("not a key", "30")]
    [InlineData("LOG", "30")]
    [InlineData("", "0")]
    [InlineData("", "3661")]
    public async Task What_no_verifier_would_take_is_not_signed(string key, string days)
    {
        (_, string made, _) = await RunAsync("receipts", "key", "k", "--out", In("receipt.key"));
        string given = key switch { "" => made.TrimEnd(), "LOG" => _anchor.LogKey.ToString(), _ => key };
        (int code, _, string error) = await RunAsync("receipts", "vouch", given, "--days", days, "--out", In("keys.txt"));
        Assert.Equal(ExitCodes.Usage, code);
        Assert.NotEmpty(error);
        Assert.False(File.Exists(In("keys.txt")));
    }

    [Fact]
    public async Task Without_the_logs_key_nothing_is_signed()
    {
        (_, string key, _) = await RunAsync("receipts", "key", "k", "--out", In("receipt.key"));
        File.Delete(In("log.key"));
        (int code, _, string error) = await RunAsync("receipts", "vouch", key.TrimEnd(), "--out", In("keys.txt"));
        Assert.Equal((ExitCodes.Configuration, false), (code, File.Exists(In("keys.txt"))));
        Assert.Contains("log.key is missing", error, StringComparison.Ordinal);
    }

    private string In(string name) => Path.Combine(_folder, name);

    private async Task<(int Code, string Output, string Error)> RunAsync(params string[] args)
    {
        using var output = new StringWriter();
        using var error = new StringWriter();
        int code = await CommandLine.RunAsync(args, output, error, name => name == DataFolder.Variable ? _folder : null);
        return (code, output.ToString(), error.ToString());
    }
}
