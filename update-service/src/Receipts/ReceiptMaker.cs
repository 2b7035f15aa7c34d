using System.Text.Json;
using Microsoft.Extensions.Options;
using Optiks.Protocol;
using Optiks.Receipts;
using Optiks.Secrets;
using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateService.Options;
using Optiks.UpdateService.Requests;
using Optiks.UpdateService.Status;
using Optiks.UpdateService.Telemetry;

namespace Optiks.UpdateService.Receipts;

/// <summary>
/// Signs receipts, which are the log's promises to publish durable updates (docs/spec/receipts.md section 5). Withholds a receipt if even
/// an honest log might break the promise. Thread-safe.
/// </summary>
internal sealed class ReceiptMaker : IDisposable
{
    private const string Section = $"{QueueOptions.Section}:{nameof(QueueOptions.Receipts)}";

    private readonly ReceiptOptions _options;
    private readonly StatusReader _statuses;
    private readonly StandingReader _standing;
    private readonly UpdateMetrics _metrics;
    private readonly TimeProvider _time;
    private readonly ILogger<ReceiptMaker> _logger;
    private readonly TrustAnchor? _anchor;
    private readonly NoteSigner? _signer;
    private readonly FollowedFile<ReceiptKeys>? _keys;
    private string? _withheld;

    /// <summary>
    /// Creates a maker from the service's options. Throws <see cref="StartupException"/>, <see cref="SecretsException"/> or
    /// <see cref="TrustAnchorException"/> if the options, or the files that they name, are unusable.
    /// </summary>
    public ReceiptMaker(
        IAcceptStore store, StatusReader statuses, DataFolder folder, IOptions<QueueOptions> options, UpdateMetrics metrics,
        TimeProvider time, ILogger<ReceiptMaker> logger)
    {
        _options = options.Value.Receipts;
        _statuses = statuses;
        _standing = new StandingReader(store, _options.MaxPending + 1L);
        _metrics = metrics;
        _time = time;
        _logger = logger;
        if (!string.IsNullOrWhiteSpace(_options.KeyFile))
        {
            var anchor = TrustAnchor.Load(folder.TrustAnchor);
            NoteSigner signer = ReceiptKeyFile.Open(_options.KeyFile);
            (_anchor, _signer) = (anchor, signer);
            _keys = new FollowedFile<ReceiptKeys>(
                _options.KeysFile, octets => Parse(anchor, signer.Key, octets.Span), null, time, logger.ReceiptKeysInvalid);
        }
    }

    /// <summary>Whether this service gives receipts at all.</summary>
    public bool IsOn => _signer is not null;

    /// <summary>
    /// Makes a receipt for each element of a durable unit that asks for a receipt. The result has null for the other elements, and for
    /// elements whose receipt it must withhold. If the database fails, the result also has null, because the updates are durable with or
    /// without receipts.
    /// </summary>
    public async Task<GivenReceipt?[]> MakeAsync(RequestUnit unit)
    {
        var receipts = new GivenReceipt?[unit.Ids.Count];
        int[] wanted = [.. Enumerable.Range(0, receipts.Length).Where(i => unit.Parsed.Requests[i].WantsReceipt)];
        try
        {
            ReceiptKeys keys = _keys!.Latest();
            var encodedKeys = JsonEncodedText.Encode(keys.Note.Span, AnswerJson.Encoder);
            Standing standing = await _standing.ReadAsync();
            ulong now = (ulong)_time.GetUtcNow().ToUnixTimeMilliseconds();
            string? reason = standing.Published is null ? "The log has published nothing yet."
                : standing.Pending > _options.MaxPending ? $"More than {_options.MaxPending} updates are pending."
                : !FindKey(keys, _signer!.Key)!.IsValidAt(now)
                    ? "The time for which the log's key vouches for the receipt key has ended, or has not begun: run 'optiks-db receipts vouch'."
                : null;
            if (reason is null)
            {
                // The code must read the published epoch first and the statuses afterwards, as docs/spec/receipts.md section 5 requires.
                await Task.WhenAll(
                    wanted.Select(
                        async i => receipts[i] = await MakeAsync(unit.Ids[i], unit.Parsed.Requests[i], standing, now, encodedKeys)));
            }
            Report(reason, null);
        }
        catch (StorageException e)
        {
            Array.Clear(receipts);
            Report("The database did not say which epoch is the newest.", e);
        }
        _metrics.Receipts(wanted.Count(i => receipts[i] is not null), wanted.Length);
        return receipts;
    }

    public void Dispose() => _signer?.Dispose();

    private static ReceiptKey? FindKey(ReceiptKeys keys, VerifierKey key) => keys.Keys.FirstOrDefault(one => one.Key.Equals(key));

    private static ReceiptKeys Parse(TrustAnchor anchor, VerifierKey own, ReadOnlySpan<byte> note) =>
        ReceiptKeys.Verify(anchor, note, out ReceiptKeys? keys) != Reason.Valid
            ? throw new SecretsException(
                $"it is not a note in which {anchor.LogKey} vouches for receipt keys: make one with 'optiks-db receipts vouch' on the update-task's host.")
            : FindKey(keys!, own) is not null ? keys!
            : throw new SecretsException(
                $"the log's key does not vouch for this service's key in it: give {own} to 'optiks-db receipts vouch' as well.");

    private async Task<GivenReceipt?> MakeAsync(Guid id, ParsedRequest request, Standing standing, ulong now, JsonEncodedText keys)
    {
        ulong published = standing.Published!.Value;
        (ulong After, ulong By)? epochs = await _statuses.ReadStoredAsync(id, CancellationToken.None) switch
        {
            { State: RequestState.Pending } => (published, published + (ulong)_options.Margin + (ulong)standing.Pending),
            { State: RequestState.Published, Epoch: > 0 and var epoch } => (epoch - 1, epoch),
            _ => null,
        };
        if (epochs is not { } promised)
        {
            return null;
        }
        TreeHash[] items = [.. request.ToItems(id).Select((item, i) => Receipt.ItemHash(id, i, item.Key.Span, item.Value.Span))];
        SignedNote note = await new Receipt(id, promised.After, promised.By, now, items).SignAsync(
            _anchor!, _signer!, CancellationToken.None);
        return new GivenReceipt(JsonEncodedText.Encode(note.Encode(), AnswerJson.Encoder), keys);
    }

    // Logs a reason for withholding receipts only once while it lasts, and logs once when the service gives receipts again.
    private void Report(string? reason, Exception? exception)
    {
        if (Volatile.Read(ref _withheld) == reason || Interlocked.Exchange(ref _withheld, reason) == reason)
        {
            return;
        }
        if (reason is null)
        {
            _logger.ReceiptsGiven();
        }
        else
        {
            _logger.ReceiptsWithheld(reason, exception);
        }
    }
}
