using System.Net.Http.Headers;
using System.Text.Json;

namespace Optiks.Auditor;

/// <summary>Sends findings to a webhook, which alerts the operator. Thread-safe.</summary>
internal sealed class AuditorWebhook
{
    private static readonly TimeSpan s_within = TimeSpan.FromSeconds(10);
    private readonly HttpClient _http;
    private readonly Uri _url;

    public AuditorWebhook(HttpClient http, Uri url)
    {
        (_http, _url) = (http, url);
    }

    /// <summary>
    /// Posts the finding. Returns null when the webhook accepted the finding, and otherwise a description of the problem. The caller
    /// repeats the call until the webhook accepts the finding, so the webhook gets each finding at least once.
    /// </summary>
    public async Task<string?> TellAsync(LogView view, CancellationToken cancellationToken)
    {
        using var content = new ByteArrayContent(Body(view));
        content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        deadline.CancelAfter(s_within);
        try
        {
            using var request = new HttpRequestMessage(HttpMethod.Post, _url) { Content = content };
            using HttpResponseMessage response =
                await _http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, deadline.Token).ConfigureAwait(false);
            return response.IsSuccessStatusCode ? null : $"HTTP {(int)response.StatusCode}";
        }
        catch (HttpRequestException e)
        {
            return ErrorText.Line(e.Message);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return "no answer in time";
        }
    }

    private static byte[] Body(LogView view)
    {
        using var body = new MemoryStream();
        using (var writer = new Utf8JsonWriter(body))
        {
            writer.WriteStartObject();
            writer.WriteString("origin"u8, view.Origin);
            writer.WriteString("auditor"u8, view.Auditor);
            writer.WriteString("text"u8, $"{view.Origin}: {view.Finding!.Sentence} Nothing more is signed.");
            CoverageJson.WriteFinding(writer, view.Finding);
            writer.WriteString("evidence"u8, view.Finding.EvidencePath);
            writer.WriteEndObject();
        }
        return body.ToArray();
    }
}
