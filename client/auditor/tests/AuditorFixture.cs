using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.Auditor.Tests;

/// <summary>An auditor of the log of a test fixture, with the auditor's key, folders and signed statements.</summary>
internal sealed class AuditorFixture : IAsyncDisposable
{
    public const string Name = "auditor.example.org/optiks";

    private AuditorFixture(Fixture fixture)
    {
        Fixture = fixture;
        KeyFile = fixture.Folder.In("auditor.key");
        Key = CosignerKeyFile.Create(KeyFile, Name);
    }

    public static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public Fixture Fixture { get; }

    public string KeyFile { get; }

    /// <summary>The key that verifies the auditor's signatures.</summary>
    public VerifierKey Key { get; }

    public AuditedLog Log => new() { TrustAnchor = FixtureLog.Anchor, QueryUrls = Fixture.Urls, FirstEpoch = FirstEpoch };

    public ulong FirstEpoch { get; set; }

    public AuditorSettings Settings => new()
    {
        Logs = [Log],
        StateFolder = Fixture.Folder.In("state"),
        MarkFolder = Fixture.Folder.In("mark"),
        Urls = "http://127.0.0.1:0",
        Interval = TimeSpan.FromMilliseconds(20),
        RefusedPause = TimeSpan.FromMilliseconds(1),
    };

    public AuditorFiles Files => new(Settings, Log);

    public static async Task<AuditorFixture> StartAsync(int epochs, int replicas = 1)
    {
        Fixture fixture = await Fixture.StartAsync(replicas);
        fixture.Log.PublishMany(epochs, i => i % 3 == 2 ? [] : [("alice", $"{i}"), ($"key-{i}", "v")]);
        fixture.Clock.UtcNow = fixture.Log.Now;
        return new AuditorFixture(fixture);
    }

    public async Task<LogAuditor> OpenAsync()
    {
        NoteSigner key = CosignerKeyFile.Open(KeyFile);
        try
        {
            return await LogAuditor.OpenAsync(Log, Settings, key, Fixture.Http, Fixture.Clock, Cancellation);
        }
        catch
        {
            key.Dispose();
            throw;
        }
    }

    /// <summary>Opens the auditor, lets it look at the log once, and closes it, as if the auditor were restarted for each look.</summary>
    public async Task<LogView> LookAsync()
    {
        using LogAuditor auditor = await OpenAsync();
        return await auditor.LookAsync(Cancellation);
    }

    /// <summary>Verifies the signed statement of a view as a client does, and returns the last signed epoch.</summary>
    public ulong Signed(LogView view)
    {
        SignedStatement signed = Assert.IsType<SignedStatement>(view.Signed);
        var verifier = new CheckpointVerifier(FixtureLog.Anchor.LogKey, [Key], Ed25519.Verifier);
        Assert.True(verifier.TryOpen(signed.Note, out SignedCheckpoint? opened, out TlogError error), error.ToString());
        Assert.Equal(Key, Assert.Single(opened.Cosignatures).Key);
        ulong epoch = EpochRecord.ReadEpoch(signed.Record);
        Assert.Equal((epoch + 1, FirstEpoch), (opened.Checkpoint.Size, signed.FirstEpoch));
        return epoch;
    }

    public async ValueTask DisposeAsync() => await Fixture.DisposeAsync();
}
