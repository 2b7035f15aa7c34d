using System.Text;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Receipts;
using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.UpdateService.Tests.Support;

/// <summary>
/// Makes the files for a service with receipts: a trust anchor, a receipt key, and the note in which the log's key authorizes the receipt
/// key.
/// </summary>
internal sealed class ReceiptSetup
{
    private const string Origin = "test/log";
    private static readonly byte[] s_logSeed = [.. Enumerable.Repeat((byte)7, 32)];

    private string _folder = "";
    private VerifierKey? _key;

    /// <summary>The trust anchor of the log.</summary>
    public static TrustAnchor Anchor { get; } =
        TrustAnchor.Create(new Configuration { Origin = Origin }.Encode(),
            new VerifierKey(Origin, SignatureType.Ed25519, Ed25519.PublicKey(s_logSeed)));

    /// <summary>Returns a signer with the log's key.</summary>
    public static NoteSigner Signer() => new(Origin, SignatureType.Ed25519, s_logSeed);

    /// <summary>The settings for the service. <see cref="Prepare"/> adds the paths of the files that it writes.</summary>
    public Dictionary<string, string?> Settings { get; } = [];

    /// <summary>The beginning and the end of the time in which the receipt key is authorized, relative to now.</summary>
    public (TimeSpan From, TimeSpan Until) Vouches { get; init; } = (TimeSpan.FromHours(-1), TimeSpan.FromHours(1));

    /// <summary>Writes the files.</summary>
    public void Prepare(DataFolder data)
    {
        _folder = data.Root;
        Anchor.Save(data.TrustAnchor);
        _key = ReceiptKeyFile.Create(Path.Combine(_folder, "receipt.key"), "test/log/receipts");
        Vouch(Vouches.From, Vouches.Until);
        Settings["Optiks:UpdateService:Receipts:KeyFile"] = Path.Combine(_folder, "receipt.key");
        Settings["Optiks:UpdateService:Receipts:KeysFile"] = Path.Combine(_folder, "receipt-keys.txt");
    }

    /// <summary>Writes the note that authorizes the receipt key. Replaces an existing note.</summary>
    public void Vouch(TimeSpan from, TimeSpan until, VerifierKey? key = null)
    {
        DateTimeOffset now = TimeProvider.System.GetUtcNow();
        using NoteSigner log = Signer();
        var vouched = new ReceiptKey(
            key ?? _key!, (ulong)(now + from).ToUnixTimeMilliseconds(), (ulong)(now + until).ToUnixTimeMilliseconds());
        ReceiptKeys keys = ReceiptKeys.SignAsync(Anchor, [vouched], log, CancellationToken.None).AsTask().GetAwaiter().GetResult();
        AtomicFile.Write(Path.Combine(_folder, "receipt-keys.txt"), keys.Note.Span, AtomicFile.PublicMode);
    }

    /// <summary>
    /// Verifies and returns the receipt in an answer, or in one element of an answer; returns null if there is no receipt.
    /// </summary>
    public static Receipt? Read(System.Text.Json.JsonElement json)
    {
        if (!json.TryGetProperty("receipt", out System.Text.Json.JsonElement note))
        {
            Assert.False(json.TryGetProperty("receipt_keys", out _));
            return null;
        }
        Assert.Equal(Reason.Valid,
            ReceiptKeys.Verify(Anchor, Encoding.UTF8.GetBytes(json.GetProperty("receipt_keys").GetString()!), out ReceiptKeys? keys));
        Assert.Equal(Reason.Valid, Receipt.Verify(Anchor, keys!, Encoding.UTF8.GetBytes(note.GetString()!), out Receipt? receipt));
        Assert.Equal(json.GetProperty("request_id").GetGuid(), receipt!.RequestId);
        return receipt;
    }
}
