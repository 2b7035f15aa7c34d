using System.Security.Cryptography;
using System.Text;
using Microsoft.AspNetCore.Http;
using Optiks.Native;
using Optiks.Secrets;
using Optiks.Tests.Shared;
using Optiks.Tlog;

namespace Optiks.QueryService.Tests;

/// <summary>Plays an auditor or a witness, and serves the note that a test chooses.</summary>
internal sealed class TestCosigner : IAsyncDisposable
{
    private readonly NoteSigner _key;
    private readonly MadeUpServer _peer;

    private TestCosigner(NoteSigner key, MadeUpServer peer)
    {
        _key = key;
        _peer = peer;
    }

    /// <summary>The function that returns the note to serve; if it returns null, the cosigner answers 404.</summary>
    public Func<byte[]?> Note { get; set; } = () => null;

    /// <summary>A test's function that answers requests in place of the cosigner; if it is null, the cosigner serves the note.</summary>
    public Func<HttpContext, Task>? Instead { get; set; }

    public int Asked => _peer.Asked;

    public VerifierKey Key => _key.Key;

    public string Address => _peer.Address;

    public string Line => $"witness {Key.Name} {Key} {Address}";

    public static async Task<TestCosigner> StartAsync(string name, byte seed, string origin = "localhost/test")
    {
        TestCosigner? cosigner = null;
        string path = $"/{Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(origin)))}/checkpoint";
        MadeUpServer peer = await MadeUpServer.StartAsync(async context =>
        {
            if (cosigner!.Instead is { } instead)
            {
                await instead(context);
                return;
            }
            byte[]? note = context.Request.Path.Value == path ? cosigner.Note() : null;
            context.Response.StatusCode = note is null ? 404 : 200;
            await context.Response.Body.WriteAsync(note ?? []);
        });
        byte[] secret = new byte[Ed25519.SeedLength];
        secret[0] = seed;
        return cosigner = new TestCosigner(new NoteSigner(name, SignatureType.CosignatureV1, secret), peer);
    }

    /// <summary>Returns a note with this cosigner's signature line added at the end.</summary>
    public byte[] Cosign(ReadOnlyMemory<byte> note, DateTimeOffset at)
    {
        Assert.True(SignedNote.TryParse(note.Span, out SignedNote? parsed, out _));
        NoteSignature line = Cosignature.SignAsync(parsed.Text, (ulong)at.ToUnixTimeSeconds(), _key, CancellationToken.None).AsTask()
            .GetAwaiter().GetResult();
        return parsed.WithSignatures([line]).Encode();
    }

    public async ValueTask DisposeAsync()
    {
        await _peer.DisposeAsync();
        _key.Dispose();
    }
}
