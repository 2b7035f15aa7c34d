using System.Text;
using System.Text.Json.Nodes;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.Client.Tests;

/// <summary>
/// Creates keys and signatures of auditors and witnesses of the fixture's log, by name, and trust anchors that name these cosigners.
/// </summary>
internal sealed class TestCosigners : IDisposable
{
    private readonly Dictionary<string, NoteSigner> _keys = new(StringComparer.Ordinal);

    public VerifierKey Key(string name) => Signer(name).Key;

    /// <summary>Returns a trust anchor with auditors, each with the first epoch that it covers.</summary>
    public TrustAnchor Anchor(int required, TimeSpan lag, params (string Name, ulong First)[] auditors) =>
        Anchor(json => json["auditors"] = new JsonObject
        {
            ["required"] = required,
            ["max_lag_ms"] = (long)lag.TotalMilliseconds,
            ["keys"] = new JsonArray(
            [.. auditors.Select(auditor => new JsonObject { ["key"] = Key(auditor.Name).ToString(), ["first_epoch"] = auditor.First })]),
        });

    /// <summary>Returns a trust anchor with witnesses. The parameter <paramref name="quorum"/> says how many of them must cosign.</summary>
    public TrustAnchor Witnessed(int quorum, params string[] witnesses) => Anchor(json => json["witnesses"] = new JsonArray(
    [
        .. witnesses.Select(witness => $"witness {witness} {Key(witness)}"), $"group q {quorum} {string.Join(' ', witnesses)}", "quorum q",
    ]));

    /// <summary>
    /// Returns the note of the log's checkpoint with the given <paramref name="size"/>, with the cosignatures that the named cosigners made
    /// at the given time.
    /// </summary>
    public byte[] Sign(FixtureLog log, ulong size, DateTimeOffset at, params string[] names) =>
        Sign(FixtureLog.Checkpoint(log.Board(size)), at, names);

    public byte[] Sign(byte[] note, DateTimeOffset at, params string[] names)
    {
        Assert.True(SignedNote.TryParse(note, out SignedNote? parsed, out _));
        return parsed.WithSignatures(names.Select(name =>
            Cosignature.SignAsync(parsed.Text, (ulong)at.ToUnixTimeSeconds(), Signer(name), CancellationToken.None).AsTask().GetAwaiter()
                .GetResult())).Encode();
    }

    /// <summary>Returns the answer to <c>GET /v1/cosignatures</c> of a server that serves these notes.</summary>
    public static byte[] Answer(params IEnumerable<byte[]> notes) =>
        Encoding.UTF8.GetBytes(
            new JsonObject
            {
                ["checkpoints"] = new JsonArray(
                [.. notes.Select(note => JsonValue.Create(Encoding.UTF8.GetString(note)))])
            }.ToJsonString());

    public void Dispose()
    {
        foreach (NoteSigner key in _keys.Values)
        {
            key.Dispose();
        }
    }

    private static TrustAnchor Anchor(Action<JsonObject> change)
    {
        JsonObject json = JsonNode.Parse(FixtureLog.Anchor.ToJson())!.AsObject();
        change(json);
        return TrustAnchor.Parse(Encoding.UTF8.GetBytes(json.ToJsonString()));
    }

    private NoteSigner Signer(string name)
    {
        if (!_keys.TryGetValue(name, out NoteSigner? key))
        {
            byte[] seed = new byte[32];
            Encoding.UTF8.GetBytes(name).CopyTo(seed, 0);
            _keys[name] = key = new NoteSigner($"{name}.example", SignatureType.CosignatureV1, seed);
        }
        return key;
    }

    /// <summary>Replaces the signature in one signature line of a note by another one.</summary>
    public static byte[] ReplaceSignature(byte[] note, int line)
    {
        string[] lines = Encoding.UTF8.GetString(note).Split('\n');
        int at = Array.IndexOf(lines, "") + line;
        lines[at] = lines[at][..^8] + (lines[at][^8] == 'A' ? 'B' : 'A') + lines[at][^7..];
        return Encoding.UTF8.GetBytes(string.Join('\n', lines));
    }
}
