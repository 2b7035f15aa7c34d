using System.Globalization;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Client;

/// <summary>
/// AuditorSession follows a log's epochs from the record that it stored last (docs/spec/answers.md section 5): checkpoints and their
/// consistency, the board's entries, records, and append-only proofs of all structures. It stores its state before it reports, and resumes.
/// Holds the state folder's lock until it is disposed. One call at a time.
/// </summary>
public sealed class AuditorSession : IDisposable
{
    private const int MaxProofLength = 512 << 20;
    private const string RangeTooLarge = "range-too-large";
    private readonly AuditorOptions _options;
    private readonly ServerConnection _connection;
    private readonly HttpTileReader _tiles;
    private readonly StateFolder _folder;
    private readonly TimeProvider _time;
    private AuditState? _state;

    private AuditorSession(AuditorOptions options, HttpClient http, StateFolder folder, TimeProvider time)
    {
        _options = options;
        _connection = new ServerConnection(http, null, time);
        _tiles = new HttpTileReader(http, new Uri(options.QueryUrl, "/log/"));
        _folder = folder;
        _time = time;
    }

    /// <summary>State stored last; null for a new auditor.</summary>
    public AuditState? State => _state;

    /// <summary>OpenAsync opens or creates the state. Throws <see cref="ClientStateException"/> when it is another log's, damaged or in use.</summary>
    public static async Task<AuditorSession> OpenAsync(AuditorOptions options, HttpClient http, TimeProvider? time = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(http);
        ArgumentOutOfRangeException.ThrowIfLessThan(options.MaxRange, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(options.MaxRange, 256);
        NativeLibraryCheck.Ensure();
        TimeProvider clock = time ?? TimeProvider.System;
        StateFolder folder = await StateFolder.OpenAsync(options.StateFolder, options.LockWait, clock, cancellationToken).ConfigureAwait(false);
        var session = new AuditorSession(options, http, folder, clock);
        try
        {
            session._state = folder.Load(StateJson.Default.AuditState);
            if (session._state is { } state && state.LogId != session.LogId)
            {
                throw new ClientStateException($"The auditor's state in {folder.Path} belongs to another log ({state.LogId}).");
            }
            return session;
        }
        catch
        {
            session.Dispose();
            throw;
        }
    }

    /// <summary>AuditAsync verifies up to the log's current checkpoint. A proof that fails is a verdict; the state stays before it.</summary>
    public async Task<AuditResult> AuditAsync(IProgress<AuditProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ulong start = _state is null ? _options.FirstEpoch : Heads.Epoch(_state.Head.Record);
        if (_state?.Fork is { } fork)
        {
            return Result(Reason.Fork, start) with { EvidencePath = fork.EvidencePath };
        }
        try
        {
            byte[] note = await _tiles.ReadCheckpointAsync(cancellationToken).ConfigureAwait(false)
                ?? throw new OptiksServerException(ServerFailure.Unusable, _options.QueryUrl, $"{_options.QueryUrl.Authority} has no checkpoint yet.");
            Reason reason = Verifier.Checkpoint(_options.TrustAnchor, note, out ulong size, out byte[] root);
            if (reason != Reason.Valid)
            {
                return Result(reason, start) with { Detail = "checkpoint" };
            }
            var board = new HashReader(_tiles, size, TreeHash.FromBytes(root));
            var head = new HeadState { Size = size, Root = root, Checkpoint = note, Record = _state?.Head.Record ?? [] };
            reason = await CompareAsync(head, board, cancellationToken).ConfigureAwait(false);
            if (reason != Reason.Valid)
            {
                return reason == Reason.Fork ? Fork(head, note, start) : Result(reason, start) with { Detail = "checkpoint" };
            }
            return await FollowAsync(head, board, start, progress, cancellationToken).ConfigureAwait(false);
        }
        catch (InvalidTileException e)
        {
            return Result(Reason.InclusionProof, start) with { Detail = $"the board's files do not make up the signed tree: {e.Message}" };
        }
        catch (Exception e) when (ServerConnection.IsConnectionFailure(e))
        {
            throw new OptiksServerException(ServerFailure.Unreachable, _options.QueryUrl, $"{_options.QueryUrl.Authority} cannot be reached: {e.Message}", e);
        }
        catch (OperationCanceledException e) when (!cancellationToken.IsCancellationRequested)
        {
            throw new OptiksServerException(ServerFailure.Unreachable, _options.QueryUrl, $"{_options.QueryUrl.Authority} did not answer in time.", e);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _folder.Dispose();

    private string LogId => Base64UrlText.Encode(_options.TrustAnchor.LogId.Span);

    // The new checkpoint against the kept one.
    private async Task<Reason> CompareAsync(HeadState head, HashReader board, CancellationToken cancellationToken)
    {
        if (_state is not { Head: { } kept })
        {
            return Reason.Valid;
        }
        if (head.Size < kept.Size)
        {
            return Reason.Stale;
        }
        if (head.Size == kept.Size)
        {
            return head.Root.AsSpan().SequenceEqual(kept.Root) ? Reason.Valid : Reason.Fork;
        }
        IReadOnlyList<TreeHash> proof = await ConsistencyProof.MakeAsync(board, kept.Size, head.Size, cancellationToken).ConfigureAwait(false);
        if (Verifier.Consistency(kept.Size, head.Size, kept.Root, head.Root, Join(proof)))
        {
            return Reason.Valid;
        }
        // The proof was made from tiles that hash to the new signed root: nothing is left to blame but the log itself.
        return Reason.Fork;
    }

    private async Task<AuditResult> FollowAsync(HeadState head, HashReader board, ulong start, IProgress<AuditProgress>? progress, CancellationToken cancellationToken)
    {
        if (start >= head.Size)
        {
            return Result(Reason.InclusionIndex, start) with { Detail = $"the log has no epoch {start} yet" };
        }
        if (_state is null)
        {
            ReadOnlyMemory<byte> first = await board.ReadEntryAsync(start, cancellationToken).ConfigureAwait(false);
            Reason reason = first.Length == EpochRecord.Length ? Verifier.Record(_options.TrustAnchor, first.Span, []) : Reason.MalformedTruncated;
            if (reason == Reason.Valid && Heads.Epoch(first.Span) != start)
            {
                reason = Reason.RecordEpoch;
            }
            if (reason != Reason.Valid)
            {
                return Result(reason, start) with { Detail = $"record of epoch {start}" };
            }
            Store(head with { Record = first.ToArray() });
        }
        else
        {
            // The kept record stands in the tree of the new checkpoint too.
            ReadOnlyMemory<byte> kept = await board.ReadEntryAsync(start, cancellationToken).ConfigureAwait(false);
            if (!kept.Span.SequenceEqual(_state.Head.Record))
            {
                return Fork(head with { Record = kept.ToArray() }, kept, start);
            }
        }
        ulong last = head.Size - 1;
        ulong epoch = start;
        int most = _options.MaxRange;
        long octets = 0;
        progress?.Report(new AuditProgress(_state!.FirstEpoch, epoch, last, octets));
        while (epoch < last)
        {
            ulong to = Math.Min(last, epoch + (ulong)most);
            byte[] proof;
            try
            {
                proof = await _connection.GetAsync(
                    _options.QueryUrl, ProofPath(epoch, to), MediaTypes.AuditProof, MaxProofLength, authorize: false, cancellationToken).ConfigureAwait(false);
            }
            catch (OptiksServerException e) when (e.Problem == RangeTooLarge && to - epoch > 1)
            {
                // Epochs of many updates: half of them at once, and soon more again.
                most = (int)(to - epoch) / 2;
                continue;
            }
            ReadOnlyMemory<byte> periodRecord = await board.ReadEntryAsync(Heads.PeriodFirstEpoch(_state!.Head.Record), cancellationToken).ConfigureAwait(false);
            AuditVerdict verdict = periodRecord.Length == EpochRecord.Length
                ? Verifier.Audit(Context(), _state.Head.Record, periodRecord.Span, proof)
                : new AuditVerdict(Reason.MalformedTruncated, default, []);
            (Reason reason, byte[] record) = (verdict.Reason, verdict.NewRecord.ToArray());
            if (reason == Reason.AuditCrossesSwitch && to - epoch > 1)
            {
                // Around a change of period the steps are taken one by one.
                most = 1;
                continue;
            }
            if (reason == Reason.Valid && Heads.Epoch(record) != to)
            {
                reason = Reason.RecordEpoch;
            }
            if (reason != Reason.Valid)
            {
                return Result(reason, start) with { FailedRange = (epoch, to) };
            }
            if (!await StandsOnBoardAsync(Records(proof, epoch, to), epoch, board, cancellationToken).ConfigureAwait(false))
            {
                return Result(Reason.InclusionProof, start) with { FailedRange = (epoch, to), Detail = "the records of the proof are not the board's entries" };
            }
            epoch = to;
            most = Math.Min(_options.MaxRange, 2 * most);
            octets += proof.Length;
            // A checkpoint that covers more than was verified is kept with the record that was: the rest is done after a restart.
            Store(head with { Record = record });
            progress?.Report(new AuditProgress(_state.FirstEpoch, epoch, last, octets));
        }
        if (_state!.Head.Size != head.Size)
        {
            Store(head with { Record = _state.Head.Record });
        }
        return Result(Reason.Valid, start);
    }

    // Of a proof that was accepted: the vector of records comes first.
    private static List<ReadOnlyMemory<byte>> Records(byte[] proof, ulong from, ulong to)
    {
        const int PrefixLength = 3;
        return [.. Enumerable.Range(0, (int)(to - from) + 1).Select(i => new ReadOnlyMemory<byte>(proof, PrefixLength + (i * EpochRecord.Length), EpochRecord.Length))];
    }

    private static async Task<bool> StandsOnBoardAsync(
        List<ReadOnlyMemory<byte>> records, ulong first, HashReader board, CancellationToken cancellationToken)
    {
        for (int i = 0; i < records.Count;)
        {
            ulong index = first + (ulong)i;
            IReadOnlyList<ReadOnlyMemory<byte>> bundle = await board.ReadBundleAsync(index / TilePath.FullWidth, cancellationToken).ConfigureAwait(false);
            for (int j = (int)(index % TilePath.FullWidth); j < bundle.Count && i < records.Count; i++, j++)
            {
                if (!bundle[j].Span.SequenceEqual(records[i].Span))
                {
                    return false;
                }
            }
        }
        return true;
    }

    private void Store(HeadState head)
    {
        AuditState next = _state is null
            ? new AuditState { LogId = LogId, FirstEpoch = Heads.Epoch(head.Record), Head = head }
            : _state with { Head = head };
        _folder.Save(next, StateJson.Default.AuditState);
        _state = next;
    }

    private AuditResult Fork(HeadState received, ReadOnlyMemory<byte> answer, ulong start)
    {
        AuditState state = _state!;
        string path = _folder.WriteEvidence(
            ForkEvidence.Name(_time),
            ForkEvidence.Collect(_options.TrustAnchor, state.Head, received.Record, received.Checkpoint, answer, _options.QueryUrl.Authority));
        _state = state with { Fork = new ForkState(path) };
        _folder.Save(_state, StateJson.Default.AuditState);
        return Result(Reason.Fork, start) with { EvidencePath = path };
    }

    private AuditResult Result(Reason reason, ulong start)
    {
        EpochRecord? record = _state is null ? null : EpochRecord.Decode(_state.Head.Record);
        HeadInfo? head = record is null
            ? null
            : new HeadInfo(record.Epoch, record.Period, DateTimeOffset.FromUnixTimeMilliseconds((long)record.TimeMs), _state!.Head.Size);
        return new AuditResult
        {
            Verdict = Verdicts.Of(reason),
            Reason = reason,
            Head = reason == Reason.Valid ? head : null,
            FirstEpoch = _state?.FirstEpoch,
            Epoch = record?.Epoch,
            VerifiedEpochs = record is null ? 0 : record.Epoch - start,
            IsSilent = reason == Reason.Valid && record!.TimeMs + _options.TrustAnchor.Configuration.MaxBehindMs < Context().NowMs,
        };
    }

    private VerifierContext Context() => new()
    {
        Anchor = _options.TrustAnchor,
        NowMs = (ulong)_time.GetUtcNow().ToUnixTimeMilliseconds(),
    };

    private static string ProofPath(ulong from, ulong to) => to - from == 1
        ? string.Create(CultureInfo.InvariantCulture, $"/v1/epochs/{to}/audit-proof")
        : string.Create(CultureInfo.InvariantCulture, $"/v1/epochs/{from}-{to}/audit-proof");

    private static byte[] Join(IReadOnlyList<TreeHash> hashes)
    {
        byte[] joined = new byte[hashes.Count * TreeHash.Length];
        for (int i = 0; i < hashes.Count; i++)
        {
            TreeHash hash = hashes[i];
            hash.AsSpan().CopyTo(joined.AsSpan(i * TreeHash.Length));
        }
        return joined;
    }
}
