using System.Text.Json;
using Optiks.Protocol;
using Optiks.Receipts;

namespace Optiks.Client;

public sealed partial class OptiksClient
{
    private const int MaxHistoryLength = 64 << 20;

    /// <summary>
    /// Sets a key's value as <see cref="UpdateAsync"/> does, and asks for the log's signed promise to publish it (docs/spec/receipts.md).
    /// The client has verified the result's <see cref="UpdateResult.Receipt"/>, and the caller stores it for
    /// <see cref="CheckReceiptAsync"/>. If the answer has no valid receipt, the server has still accepted the update, but the log has
    /// promised nothing. <see cref="UpdateResult.ReceiptRefused"/> says whether an invalid receipt came. A server that gives no receipts
    /// refuses the whole request.
    /// </summary>
    /// <param name="key">Key, 1 to <see cref="ProtocolLimits.MaxKeyLength"/> octets.</param>
    /// <param name="value">Value, at most as long as the log's configuration allows.</param>
    /// <param name="requestId">A UUIDv7 of the last 24 hours (<see cref="NewRequestId"/>), or the id of an update whose receipt was lost;
    /// null for a new id.</param>
    /// <param name="cancellationToken">Cancels the wait. It does not withdraw an update that was sent.</param>
    public async Task<UpdateResult> UpdateWithReceiptAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> value, Guid? requestId = null, CancellationToken cancellationToken = default)
    {
        ulong? kept = _store.Current.Head is { } head ? EpochRecord.ReadEpoch(head.Record) : null;
        DateTimeOffset sent = _time.GetUtcNow();
        (UpdateResult result, byte[] answer) =
            await SendUpdateAsync(key, value, null, requestId, wantsReceipt: true, cancellationToken).ConfigureAwait(false);
        if (result.Status == UpdateStatus.Refused || ReadNotes(answer) is not { } notes)
        {
            return result;
        }
        var receipt = new UpdateReceipt(result.RequestId, key, value, notes.Receipt, notes.Keys);
        Reason reason = receipt.Verify(_options.TrustAnchor, out Receipt? promise);
        if (promise is not null)
        {
            reason = IsOfNow(promise, sent, kept) && await HeadAtAsync(promise.After, cancellationToken).ConfigureAwait(false) is { } after
                ? PromiseJudge.CheckTime(_options.TrustAnchor, promise, after)
                : Reason.ReceiptTime;
        }
        return reason == Reason.Valid ? result with { Receipt = receipt } : result with { ReceiptRefused = reason };
    }

    /// <summary>
    /// Reads the key's history, and checks whether the log kept the promise in a receipt. If the log broke the promise, the call writes
    /// evidence that anyone can judge. The call needs an API key or token with the scope <c>history</c>. An
    /// <see cref="OptiksServerException"/> with the problem <c>period-gone</c> or <c>erased</c> means that it is too late to find out.
    /// </summary>
    public async Task<ReceiptResult> CheckReceiptAsync(UpdateReceipt receipt, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(receipt);
        Reason reason = receipt.Verify(_options.TrustAnchor, out Receipt? promise);
        if (promise is null)
        {
            return new ReceiptResult(ReceiptStatus.Refused, reason);
        }
        KeyName name = KeyName.Of(receipt.Key, _options.TrustAnchor);
        HistoryResult history = await HistoryAsync(receipt.Key, cancellationToken).ConfigureAwait(false);
        HeadInfo? head = history.IsValid ? history.Head : null;
        var answers = new List<ReadOnlyMemory<byte>>();
        while (true)
        {
            var result = new ReceiptResult(ReceiptStatus.Unproven, history.Reason) { Receipt = promise, Head = head };
            if (!history.IsValid)
            {
                return result with { History = history };
            }
            if (history.Versions.FirstOrDefault(version => IsPromised(version, promise, receipt.Value.Span)) is { } kept)
            {
                return result with { Status = ReceiptStatus.Kept, Reason = Reason.PromiseKept, Version = kept };
            }
            if (head!.Epoch < promise.By)
            {
                return result with { Status = ReceiptStatus.NotDue };
            }
            ulong period = history.Head!.Period;
            ulong from = history.Versions.LastOrDefault(version => version.Epoch <= promise.After)?.Version ?? 1;
            string of = period == head.Period ? $"&min_epoch={promise.By}" : $"&period={period}";
            var list = new PromiseAnswers(_options.TrustAnchor, promise, receipt.Key, receipt.Value);
            List<ReadOnlyMemory<byte>> pages = await FetchAsync(name, of, from, list, cancellationToken).ConfigureAwait(false);
            answers.InsertRange(0, pages);
            if (period == 0 || list.PeriodFirstEpoch <= promise.After + 1)
            {
                return await HeadAtAsync(promise.After, cancellationToken).ConfigureAwait(false) is { } after
                    ? Judge(result, receipt, after, answers)
                    : result with { Reason = Reason.PromiseUncovered };
            }
            history = await HistoryAsync(receipt.Key, period - 1, cancellationToken).ConfigureAwait(false);
        }
    }

    private ReceiptResult Judge(
        ReceiptResult result, UpdateReceipt receipt, ReadOnlyMemory<byte> after, IReadOnlyList<ReadOnlyMemory<byte>> answers)
    {
        (Reason reason, Receipt? promise) = PromiseJudge.Judge(_options.TrustAnchor, receipt, after, answers);
        return reason == Reason.PromiseBroken
            ? result with
            {
                Status = ReceiptStatus.Broken,
                Reason = reason,
                EvidencePath = _store.WriteEvidence(
                    ForkEvidence.Name(_time), PromiseJudge.Collect(_options.TrustAnchor, receipt, promise!, after, answers)),
            }
            : result with { Status = reason == Reason.PromiseKept ? ReceiptStatus.Kept : ReceiptStatus.Unproven, Reason = reason };
    }

    // Tells whether the time of the receipt is between the request and its answer, within the tolerance for clocks. The receipt must also
    // promise an epoch after the kept head, unless it says that the request is already published.
    private bool IsOfNow(Receipt promise, DateTimeOffset sent, ulong? kept)
    {
        ulong ahead = _options.TrustAnchor.Configuration.MaxAheadMs;
        return !UnixTime.IsAfter((ulong)sent.ToUnixTimeMilliseconds(), promise.TimeMs, ahead)
            && !UnixTime.IsAfter(promise.TimeMs, (ulong)_time.GetUtcNow().ToUnixTimeMilliseconds(), ahead)
            && (promise.By == promise.After + 1 || kept is null || promise.After >= kept);
    }

    // Returns the Head of an epoch from the first board that has it; null if no board has it in time.
    private async Task<byte[]?> HeadAtAsync(ulong epoch, CancellationToken cancellationToken)
    {
        var backoff = new Backoff(_options, _time);
        do
        {
            foreach (Uri server in _options.QueryUrls)
            {
                try
                {
                    if (await BoardHead.FindAsync(_options.TrustAnchor, new BoardReader(_connection, server), epoch, cancellationToken)
                        .ConfigureAwait(false) is { } head)
                    {
                        return head;
                    }
                }
                catch (OptiksServerException)
                {
                    // This board failed. Try the next board, or try again in the next round.
                }
            }
        }
        while (await backoff.TryWaitAsync(null, cancellationToken).ConfigureAwait(false));
        return null;
    }

    private static bool IsPromised(KeyVersion version, Receipt promise, ReadOnlySpan<byte> value) =>
        version.Epoch > promise.After && version.Epoch <= promise.By && version.Value is { } shown && shown.Span.SequenceEqual(value);

    // Fetches answers that leave out nothing, so that others can verify them without this client's state. Stops after the first refused
    // answer, because the judge refuses that answer as well.
    private async Task<List<ReadOnlyMemory<byte>>> FetchAsync(
        KeyName name, string of, ulong from, PromiseAnswers list, CancellationToken cancellationToken)
    {
        var pages = new List<ReadOnlyMemory<byte>>();
        for (ulong? next = from; next is { } version && pages.Count < ProtocolLimits.MaxEvidenceAnswers; next = list.Next)
        {
            byte[] body = QueryList.Encode([new Query(name.Octets, 0, version)]);
            byte[] answer = await AskAnyAsync(
                server => new ServerRequest(server, $"/v1/history?checkpoint_size=0{of}", MediaTypes.History,
                    MaxHistoryLength)
                { Body = (body, MediaTypes.Query), Authorize = true }, cancellationToken).ConfigureAwait(false);
            pages.Add(answer);
            if (list.Add(answer) != Reason.Valid)
            {
                break;
            }
        }
        return pages;
    }

    private async Task<byte[]> AskAnyAsync(Func<Uri, ServerRequest> request, CancellationToken cancellationToken)
    {
        for (int i = 0; ; i++)
        {
            try
            {
                return await RetryAsync(request(_options.QueryUrls[i]), cancellationToken).ConfigureAwait(false);
            }
            catch (OptiksServerException e) when (e.IsTransient && i < _options.QueryUrls.Count - 1)
            {
                // This replica cannot answer, so ask the next one.
            }
        }
    }

    // Returns null if the answer has no receipt. An answer that is not JSON counts as an answer without a receipt, because the HTTP status
    // already says that the server accepted the update.
    private static (byte[] Receipt, byte[] Keys)? ReadNotes(byte[] answer)
    {
        try
        {
            using var document = StrictJson.Parse(answer);
            return document.RootElement.ValueKind == JsonValueKind.Object ? UpdateReceipt.NotesOf(document.RootElement) : null;
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            return null;
        }
    }
}
