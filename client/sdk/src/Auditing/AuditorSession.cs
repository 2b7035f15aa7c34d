using System.Runtime.ExceptionServices;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Client;

/// <summary>
/// Follows a log's epochs from the record that it stored last (docs/spec/answers.md section 5). It verifies checkpoints and their
/// consistency, the board's entries, records, and append-only proofs of all structures. At a switch of the period the trees of devices and
/// keys begin anew and have no append-only proof, so the session reports the switch. The session stores its state before it reports, and
/// later resumes from that state. It holds the state folder's lock until it is disposed. Callers make one call at a time.
/// </summary>
public sealed class AuditorSession : IDisposable
{
    private readonly AuditorOptions _options;
    private readonly ServerConnection _connection;
    private readonly StateFolder _folder;
    private readonly TimeProvider _time;
    private AuditState? _state;
    private byte[]? _periodRecord;
    private Func<AuditState>? _unwritten;
    private int _preferred;

    private AuditorSession(AuditorOptions options, HttpClient http, StateFolder folder, TimeProvider time)
    {
        _options = options;
        _connection = new ServerConnection(http, null, options.AnswerWithin, time);
        _folder = folder;
        _time = time;
    }

    /// <summary>The state that was stored last; null for a new auditor.</summary>
    public AuditState? State => _state;

    /// <summary>
    /// Opens or creates the state. Throws <see cref="ClientStateException"/> when the state belongs to another log, is damaged or is in
    /// use.
    /// </summary>
    public static async Task<AuditorSession> OpenAsync(
        AuditorOptions options, HttpClient http, TimeProvider? time = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(http);
        ArgumentOutOfRangeException.ThrowIfLessThan(options.MaxRange, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(options.MaxRange, AuditProof.MaxEpochs);
        if (options.QueryUrls.Count == 0)
        {
            throw new ArgumentException("At least one query URL is needed.", nameof(options));
        }
        NativeLibraryCheck.Ensure();
        TimeProvider clock = time ?? TimeProvider.System;
        StateFolder folder =
            await StateFolder.OpenAsync(options.StateFolder, options.LockWait, clock, cancellationToken).ConfigureAwait(false);
        var session = new AuditorSession(options, http, folder, clock);
        try
        {
            session._state = folder.Load(StateJson.Default.AuditState);
            if (session._state is { } state)
            {
                if (state.LogId != session.LogId)
                {
                    throw new ClientStateException(
                        $"The auditor's state in {folder.Path} belongs to another log ({DisplayText.Escape(state.LogId)}).");
                }
                folder.Require(StateCheck.Fault(options.TrustAnchor, state));
            }
            return session;
        }
        catch
        {
            session.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Verifies the log up to its current checkpoint. The session reports a failed proof as a verdict, and keeps the state from before that
    /// proof. Throws <see cref="OptiksServerException"/> when no replica gave an answer, and <see cref="FirstEpochException"/> when a new
    /// auditor should start at an epoch that the log does not have.
    /// </summary>
    public async Task<AuditResult> AuditAsync(IProgress<AuditProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ulong start = _state is null ? _options.FirstEpoch : EpochRecord.ReadEpoch(_state.Head.Record);
        if (Known(start) is { } known)
        {
            return known;
        }
        Exception? failure = null;
        AuditResult? behind = null;
        AuditResult? refused = null;
        List<AuditRefusal> refusals = [];
        for (int i = 0; i < _options.QueryUrls.Count; i++)
        {
            int replica = (_preferred + i) % _options.QueryUrls.Count;
            try
            {
                AuditResult result =
                    await AuditAtAsync(_options.QueryUrls[replica], start, progress, cancellationToken).ConfigureAwait(false);
                if (result.IsValid)
                {
                    _preferred = replica;
                }
                if (result.IsValid || result.IsProven)
                {
                    return result with { Refusals = refusals };
                }
                if (result.Reason == Reason.Stale)
                {
                    behind = result;
                    continue;
                }
                // A refused answer shows a fault of the server, not of the log, so another server may have an answer that verifies.
                refusals.AddRange(result.Refusals);
                refused ??= result;
            }
            catch (Exception e) when (e is OptiksServerException or FirstEpochException)
            {
                failure = e;
            }
        }
        if (refused is not null)
        {
            return refused with { Refusals = refusals, IsOpen = behind is not null };
        }
        if (behind is null)
        {
            ExceptionDispatchInfo.Throw(failure!);
        }
        return behind;
    }

    /// <summary>
    /// Checks whether the stored checkpoint extends another checkpoint that this log signed, which means that the stored checkpoint has the
    /// same history and is not smaller. If the two checkpoints contradict each other, the result is <see cref="Reason.Fork"/> with
    /// evidence. If the other checkpoint is larger, the result is <see cref="Reason.Stale"/>. This call is for callers that keep a
    /// checkpoint outside the state folder. Throws <see cref="OptiksServerException"/> when no replica gave an answer.
    /// </summary>
    public async Task<AuditResult> ExtendsAsync(ReadOnlyMemory<byte> checkpoint, CancellationToken cancellationToken = default)
    {
        AuditState state = _state ?? throw new InvalidOperationException("Nothing is kept yet.");
        ulong start = EpochRecord.ReadEpoch(state.Head.Record);
        if (Known(start) is { } known)
        {
            return known;
        }
        byte[] octets = checkpoint.ToArray();
        Reason reason = VerifiedNote.Verify(_options.TrustAnchor, octets, out VerifiedNote? other);
        if (other is null)
        {
            return Result(reason, start, "the checkpoint that was kept elsewhere is not one that the log signed");
        }
        var kept = new VerifiedNote(state.Head.Size, state.Head.Root, state.Head.Checkpoint);
        var head = new HeadState { Size = other.Size, Root = other.Root, Checkpoint = octets, Record = state.Head.Record };
        AuditResult? refused = null;
        OptiksServerException? failure = null;
        for (int i = 0; i < _options.QueryUrls.Count; i++)
        {
            Uri replica = _options.QueryUrls[(_preferred + i) % _options.QueryUrls.Count];
            var board = new HashReader(new BoardReader(_connection, replica), kept.Size, TreeHash.FromBytes(kept.Root));
            try
            {
                HeadComparison comparison =
                    await HeadComparison.RunAsync(head.Size, head.Root, kept, board, cancellationToken).ConfigureAwait(false);
                return comparison.Relation switch
                {
                    HeadRelation.Agrees => Result(Reason.Valid, start),
                    HeadRelation.Smaller => Result(Reason.Stale, start),
                    _ => Fork(head, new Contradiction(kept.Octets, comparison.Prefix, default, default), "this auditor's own state", start),
                };
            }
            catch (InvalidTileException e)
            {
                refused ??= Refused(Reason.InclusionProof, start, replica, $"the board's files do not make up the signed tree: {e.Message}",
                    null, kept);
            }
            catch (OptiksServerException e)
            {
                failure = e;
            }
        }
        if (refused is null)
        {
            ExceptionDispatchInfo.Throw(failure!);
        }
        return refused;
    }

    /// <inheritdoc/>
    public void Dispose() => _folder.Dispose();

    private string LogId => Base64UrlText.Encode(_options.TrustAnchor.LogId.Span);

    // Returns the result of an earlier call that found a fork or breach, because a proven fault stays proven; null if there is no such
    // fault.
    private AuditResult? Known(ulong start) => _unwritten is { } write ? Proven(write, start) : _state switch
    {
        { Fork: { } fork } => Result(Reason.Fork, start, evidencePath: fork.EvidencePath) with { IsProven = true },
        { Breach: { } breach } =>
            Result(breach.Reason, start, $"entry {breach.Epoch} of the signed log breaks a rule of records", breach.EvidencePath) with
            {
                IsProven = true,
                FailedRange = (breach.Epoch - 1, breach.Epoch),
            },
        _ => null,
    };

    private async Task<AuditResult> AuditAtAsync(
        Uri replica, ulong start, IProgress<AuditProgress>? progress, CancellationToken cancellationToken)
    {
        var tiles = new BoardReader(_connection, replica);
        Reason reason = VerifiedNote.Verify(
            _options.TrustAnchor, await tiles.CheckpointAsync(cancellationToken).ConfigureAwait(false), out VerifiedNote? note);
        if (note is null)
        {
            return Refused(reason, start, replica, "the server's checkpoint is not one that the log signed", null, null);
        }
        var board = new HashReader(tiles, note.Size, TreeHash.FromBytes(note.Root));
        try
        {
            if (_state is not null)
            {
                HeadComparison comparison = await HeadComparison.RunAsync(
                    _state.Head, note,
                    [tiles, .. _options.QueryUrls.Where(other => other != replica).Select(other => new BoardReader(_connection, other))],
                    cancellationToken).ConfigureAwait(false);
                if (comparison.Relation == HeadRelation.Smaller)
                {
                    return Result(Reason.Stale, start);
                }
                if (comparison.Relation == HeadRelation.Contradicts)
                {
                    return Fork(
                        _state.Head,
                        new Contradiction(note.Octets, comparison.Prefix, default, default) { IsSmaller = comparison.IsSmaller },
                        replica.Authority, start);
                }
            }
            return await FollowAsync(replica, note, board, start, progress, cancellationToken).ConfigureAwait(false);
        }
        catch (InvalidTileException e)
        {
            return Refused(Reason.InclusionProof, start, replica, $"the board's files do not make up the signed tree: {e.Message}",
                null, note);
        }
    }

    private async Task<AuditResult> FollowAsync(
        Uri replica, VerifiedNote note, HashReader board, ulong start, IProgress<AuditProgress>? progress,
        CancellationToken cancellationToken)
    {
        if (_state is null)
        {
            if (start >= note.Size)
            {
                throw new FirstEpochException(start, note.Size - 1);
            }
            byte[] first = (await board.ReadEntryAsync(start, cancellationToken).ConfigureAwait(false)).ToArray();
            Reason reason = CheckFirst(first, start);
            if (reason != Reason.Valid)
            {
                return Refused(reason, start, replica, $"record of epoch {start}", null, note, ("record.bin", first));
            }
            Store(note, first);
        }
        else
        {
            // The tree of the new checkpoint must hold the stored record too, so read that record's entry.
            ReadOnlyMemory<byte> kept =
                await board.ReadEntryAsync(EpochRecord.ReadEpoch(_state.Head.Record), cancellationToken).ConfigureAwait(false);
            if (!kept.Span.SequenceEqual(_state.Head.Record))
            {
                return Fork(_state.Head, new Contradiction(note.Octets, null, kept, default), replica.Authority, start);
            }
        }
        ulong last = note.Size - 1;
        // This epoch is later than `start` if this call has verified proofs of another replica before that replica failed.
        ulong epoch = EpochRecord.ReadEpoch(_state!.Head.Record);
        int most = _options.MaxRange;
        long octets = 0;
        progress?.Report(new AuditProgress(_state.FirstEpoch, epoch, last, octets));
        while (epoch < last)
        {
            ulong to = await EndOfRangeAsync(board, epoch, Math.Min(last, epoch + (ulong)most), cancellationToken).ConfigureAwait(false);
            byte[] periodRecord = await PeriodRecordAsync(board, cancellationToken).ConfigureAwait(false);
            if (periodRecord.Length == 0)
            {
                return Refused(Reason.MalformedTruncated, start, replica, "the board's entry of the period's first epoch is not a record",
                    null, note);
            }
            // Check the log's signed entries before the server's proof, because the entries alone show whether a record breaks a rule.
            ReadOnlyMemory<byte>[] entries = await AuditedRange.ReadEntriesAsync(board, epoch, to, cancellationToken).ConfigureAwait(false);
            if (await RecordBreach.FindAsync(_options.TrustAnchor, note, board, entries, epoch, periodRecord, cancellationToken)
                .ConfigureAwait(false) is { } breach)
            {
                return Breach(breach, start);
            }
            byte[] proof;
            try
            {
                proof =
                    await _connection.SendAsync(
                        new ServerRequest(replica, AuditedRange.GetProofPath(epoch, to), MediaTypes.AuditProof,
                            AuditProof.ComputeMaxLength(EpochRecord.Decode(entries[0].Span), EpochRecord.Decode(entries[^1].Span))),
                            cancellationToken).ConfigureAwait(false);
            }
            catch (OptiksServerException e) when (e.Problem == ProblemNames.RangeTooLarge && to - epoch > 1)
            {
                // The answer is too long because these epochs have many updates, so ask for half as many epochs now. The range doubles
                // again after each success.
                most = (int)(to - epoch) / 2;
                continue;
            }
            AuditVerdict verdict = Verifier.Audit(Context(), _state.Head.Record, periodRecord, proof);
            Reason reason = verdict.Reason;
            byte[] record = verdict.NewRecord.ToArray();
            if (reason == Reason.AuditCrossesSwitch && to - epoch > 1)
            {
                // The proof shows a switch where the board shows no switch, so the proof is about other records than the board's. Request
                // proofs of single steps, because such a proof will show the difference.
                most = 1;
                continue;
            }
            if (reason == Reason.Valid && EpochRecord.ReadEpoch(record) != to)
            {
                reason = Reason.RecordEpoch;
            }
            string? detail = null;
            if (reason == Reason.Valid
                && !AuditedRange.GetRecords(proof, epoch, to).Zip(entries).All(pair => pair.First.Span.SequenceEqual(pair.Second.Span)))
            {
                (reason, detail) = (Reason.InclusionProof, "the records of the proof are not the board's entries");
            }
            if (reason != Reason.Valid)
            {
                return Refused(
                    reason, start, replica, detail, (epoch, to), note, ("from-record.bin", _state.Head.Record),
                    ("period-record.bin", periodRecord), ("audit.bin", proof));
            }
            epoch = to;
            most = Math.Min(_options.MaxRange, 2 * most);
            octets += proof.Length;
            // The checkpoint may cover more epochs than the session has verified. It is stored with the last verified record, and the
            // session verifies the other epochs later, if necessary after a restart.
            Store(note, record, isSwitch: verdict.Structures.Count < StructureState.StructureCount);
            progress?.Report(new AuditProgress(_state.FirstEpoch, epoch, last, octets));
        }
        if (_state!.Head.Size != note.Size)
        {
            Store(note, _state.Head.Record);
        }
        return Result(Reason.Valid, start);
    }

    // Returns the end of the next range. A range with a switch of the period holds only the step to the switch; every other range ends
    // before the switch. The board's entries show where the switch is; if these entries are wrong, the verification of the proof fails.
    private async Task<ulong> EndOfRangeAsync(HashReader board, ulong epoch, ulong to, CancellationToken cancellationToken)
    {
        ulong period = EpochRecord.Decode(_state!.Head.Record).Period;
        while (to - epoch > 1)
        {
            ReadOnlyMemory<byte> entry = await board.ReadEntryAsync(to, cancellationToken).ConfigureAwait(false);
            if (entry.Length != EpochRecord.Length)
            {
                return to;
            }
            EpochRecord record = EpochRecord.Decode(entry.Span);
            if (record.Period == period || record.PeriodFirstEpoch <= epoch || record.PeriodFirstEpoch > to)
            {
                return to;
            }
            // If the record's period is more than one period after `period`, the record names only the last of several switches. The loop
            // then looks for an earlier switch in the remaining epochs.
            to = record.PeriodFirstEpoch == epoch + 1 ? epoch + 1 : record.PeriodFirstEpoch - 1;
        }
        return to;
    }

    // Returns the record of the first epoch of the stored record's period; empty when the entry is not a record. The record needs only one
    // inclusion proof, because every later checkpoint extends the checkpoint of that proof.
    private async Task<byte[]> PeriodRecordAsync(HashReader board, CancellationToken cancellationToken)
    {
        ulong epoch = EpochRecord.Decode(_state!.Head.Record).PeriodFirstEpoch;
        if (_periodRecord is null || EpochRecord.ReadEpoch(_periodRecord) != epoch)
        {
            byte[] entry = (await board.ReadEntryAsync(epoch, cancellationToken).ConfigureAwait(false)).ToArray();
            if (entry.Length != EpochRecord.Length || EpochRecord.ReadEpoch(entry) != epoch)
            {
                return [];
            }
            _periodRecord = entry;
        }
        return _periodRecord;
    }

    // Checks the first record in the same way as every later record, except that there is no previous record to compare it with.
    private Reason CheckFirst(byte[] record, ulong epoch)
    {
        if (record.Length != EpochRecord.Length)
        {
            return record.Length < EpochRecord.Length ? Reason.MalformedTruncated : Reason.MalformedTrailing;
        }
        Reason reason = LogVerifier.VerifyRecord(_options.TrustAnchor, record, []);
        if (reason != Reason.Valid)
        {
            return reason;
        }
        EpochRecord first = EpochRecord.Decode(record);
        return first.Epoch != epoch ? Reason.RecordEpoch
            : UnixTime.IsAfter(first.TimeMs, Context().NowMs, _options.TrustAnchor.Configuration.MaxAheadMs) ? Reason.RecordFromFuture
            : Reason.Valid;
    }

    private void Store(VerifiedNote note, byte[] record, bool isSwitch = false)
    {
        var head = new HeadState
        {
            Size = note.Size,
            Root = note.Root,
            Checkpoint = VerifiedNote.Reduce(_options.TrustAnchor, note.Octets),
            Record = record,
        };
        AuditState next = _state is null
            ? new AuditState { LogId = LogId, FirstEpoch = EpochRecord.ReadEpoch(head.Record), Head = head }
            : _state with { Head = head };
        if (isSwitch)
        {
            next = next with { Switches = next.Switches.Add(EpochRecord.ReadEpoch(record)) };
        }
        Save(next);
        _state = next;
    }

    private AuditResult Fork(HeadState kept, Contradiction contradiction, string source, ulong start)
    {
        Dictionary<string, ReadOnlyMemory<byte>> files = ForkEvidence.Collect(_options.TrustAnchor, kept, contradiction, source);
        return Proven(() => _state! with { Fork = new ForkState(_folder.WriteEvidence(ForkEvidence.Name(_time), files)) }, start);
    }

    private AuditResult Breach(RecordBreach breach, ulong start) =>
        Proven(
            () =>
                _state! with
                {
                    Breach = new BreachState(
                    breach.Reason, breach.Epoch, _folder.WriteEvidence(ForkEvidence.Name(_time), breach.Files))
                }, start);

    // A full disk must not make the auditor forget the evidence against the log. Until the evidence is written, every call tries to write
    // it and does nothing else.
    private AuditResult Proven(Func<AuditState> write, ulong start)
    {
        _unwritten = write;
        AuditState state = write();
        Save(state);
        (_state, _unwritten) = (state, null);
        return Known(start)!;
    }

    private void Save(AuditState state) => _folder.Save(state, StateJson.Default.AuditState, StateCheck.Fault(_options.TrustAnchor, state));

    private AuditResult Refused(
        Reason reason, ulong start, Uri replica, string? detail, (ulong From, ulong To)? range, VerifiedNote? note,
        params ReadOnlySpan<(string Name, byte[] Contents)> files)
    {
        var all = new Dictionary<string, ReadOnlyMemory<byte>> { ["trust.json"] = _options.TrustAnchor.ToJson() };
        if (note is not null)
        {
            all["checkpoint.txt"] = note.Octets;
        }
        foreach ((string name, byte[] contents) in files)
        {
            all[name] = contents;
        }
        return Result(reason, start, detail) with { FailedRange = range, Refusals = [new AuditRefusal(replica, reason, range, all)] };
    }

    private AuditResult Result(Reason reason, ulong start, string? detail = null, string? evidencePath = null)
    {
        EpochRecord? record = _state is null ? null : EpochRecord.Decode(_state.Head.Record);
        HeadInfo? head = record is null
            ? null
            : new HeadInfo(record.Epoch, record.Period, UnixTime.FromMilliseconds(record.TimeMs), _state!.Head.Size);
        return new AuditResult(new Outcome(reason, reason == Reason.Valid ? head : null) { Detail = detail, EvidencePath = evidencePath })
        {
            FirstEpoch = _state?.FirstEpoch,
            Epoch = record?.Epoch,
            Switches = _state?.Switches ?? [],
            VerifiedEpochs = record is null ? 0 : record.Epoch - start,
            IsSilent = reason == Reason.Valid
                && UnixTime.IsAfter(Context().NowMs, record!.TimeMs, _options.TrustAnchor.Configuration.MaxBehindMs),
        };
    }

    private VerifierContext Context() => new()
    {
        Anchor = _options.TrustAnchor,
        NowMs = (ulong)_time.GetUtcNow().ToUnixTimeMilliseconds(),
    };
}
