using System.Collections.Concurrent;
using System.Globalization;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Optiks.Secrets;
using Optiks.Tests.Shared;
using Optiks.Tlog;

namespace Optiks.UpdateTask.Tests.Support;

/// <summary>
/// Runs an HTTP server that has a witness's key and answers as a test decides. It accepts every request, unlike the real witness in
/// client/witness.
/// </summary>
internal sealed class TestWitness : IAsyncDisposable
{
    private readonly NoteSigner _signer;
    private MadeUpServer? _server;

    private TestWitness(NoteSigner signer) => _signer = signer;

    /// <summary>The key of the witness.</summary>
    public VerifierKey Key => _signer.Key;

    /// <summary>The URL prefix of the witness's endpoints.</summary>
    public string Url => _server!.Address;

    /// <summary>The old sizes that the requests have named so far, in order.</summary>
    public ConcurrentQueue<ulong> OldSizes { get; } = [];

    /// <summary>Returns the line that describes this witness in a policy file.</summary>
    public string Line(string name) => $"witness {name} {Key} {Url}\n";

    /// <summary>
    /// Starts a server. For each request it calls the function <paramref name="answer"/> with the witness, the HTTP context, the old size
    /// and the note's text.
    /// </summary>
    public static async Task<TestWitness> StartAsync(Func<TestWitness, HttpContext, ulong, byte[], Task> answer, bool https = false)
    {
        byte[] seed = RandomNumberGenerator.GetBytes(32);
        var witness = new TestWitness(new NoteSigner($"w{Convert.ToHexStringLower(seed[..4])}.example", SignatureType.CosignatureV1, seed));
        witness._server = await MadeUpServer.StartAsync(AnswerAsync, https ? listen => listen.UseHttps(Untrusted()) : null);
        return witness;

        async Task AnswerAsync(HttpContext context)
        {
            using var body = new MemoryStream();
            await context.Request.Body.CopyToAsync(body, context.RequestAborted);
            string text = Encoding.UTF8.GetString(body.ToArray());
            ulong oldSize = ulong.Parse(
                text[4..text.IndexOf('\n', StringComparison.Ordinal)], NumberStyles.None, CultureInfo.InvariantCulture);
            witness.OldSizes.Enqueue(oldSize);
            Assert.True(
                SignedNote.TryParse(Encoding.UTF8.GetBytes(text[(text.IndexOf("\n\n", StringComparison.Ordinal) + 2)..]),
                    out SignedNote? note, out _));
            // The note in the request must have only the log's signature.
            Assert.Single(note.Signatures);
            await answer(witness, context, oldSize, note.Text.ToArray());
        }
    }

    /// <summary>Starts a server that cosigns every checkpoint.</summary>
    public static Task<TestWitness> StartAsync() =>
        StartAsync(async (witness, context, _, text) => await context.Response.WriteAsync(await witness.CosignAsync(text)));

    /// <summary>Returns the signature line with which the witness cosigns a checkpoint's text.</summary>
    public async Task<string> CosignAsync(byte[] text, long ahead = 0)
    {
        ulong time = (ulong)(TimeProvider.System.GetUtcNow().ToUnixTimeSeconds() + ahead);
        return $"{(await Cosignature.SignAsync(text, time, _signer, CancellationToken.None)).ToLine()}\n";
    }

    public async ValueTask DisposeAsync()
    {
        await _server!.DisposeAsync();
        _signer.Dispose();
    }

    private static X509Certificate2 Untrusted()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256);
        return request.CreateSelfSigned(TimeProvider.System.GetUtcNow().AddDays(-1), TimeProvider.System.GetUtcNow().AddDays(1));
    }
}
