using System.Text;
using Optiks.Client;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.Auditor;

/// <summary>
/// Follows one log. It verifies new epochs, writes the mark, signs, and publishes the statement, in this order (docs/spec/auditing.md
/// section 2). The first finding ends the audit for good, even after restarts. Only one call of <see cref="LookAsync"/> may run at a time;
/// any thread may read <see cref="View"/>.
/// </summary>
internal sealed class LogAuditor : IDisposable
{
    // The auditor tries again after a refused answer, because a single refusal may come from a temporary fault of a disk or a proxy.
    private const int LooksAtRefused = 3;

    private readonly AuditedLog _log;
    private readonly AuditorSettings _settings;
    private readonly AuditorSession _session;
    private readonly AuditorFiles _files;
    private readonly FileStream _markLock;
    private readonly INoteSigner _key;
    private readonly TimeProvider _time;
    private AuditorMark? _mark;
    private bool _markIsCompared;
    private volatile LogView _view;

    private LogAuditor(AuditedLog log, AuditorSettings settings, AuditorSession session, AuditorFiles files, INoteSigner key,
        TimeProvider time)
    {
        (_log, _settings, _session, _files, _key, _time) = (log, settings, session, files, key, time);
        _markLock = files.LockMark();
        SignedStatement? signed;
        try
        {
            _mark = files.LoadMark(log.TrustAnchor);
            signed = files.LoadSigned();
            Require(signed);
        }
        catch
        {
            _markLock.Dispose();
            throw;
        }
        Finding? finding = files.LoadFinding();
        _view = Verified(new LogView { Log = log, Auditor = key.Key.ToString(), Signed = signed, Finding = finding });
        if (finding is not null)
        {
            _view = _view with { Condition = LogCondition.Stopped, Description = finding.Sentence };
        }
    }

    /// <summary>The current view.</summary>
    public LogView View => _view;

    /// <summary>
    /// Opens or creates the files of a log. Throws <see cref="StartupException"/> when the auditor must not sign with these files.
    /// </summary>
    public static async Task<LogAuditor> OpenAsync(
        AuditedLog log, AuditorSettings settings, INoteSigner key, HttpClient http, TimeProvider time, CancellationToken cancellationToken)
    {
        var files = new AuditorFiles(settings, log);
        var options = new AuditorOptions
        {
            TrustAnchor = log.TrustAnchor,
            QueryUrls = log.QueryUrls,
            StateFolder = files.Folder,
            FirstEpoch = log.FirstEpoch,
        };
        AuditorSession session = await AuditorSession.OpenAsync(options, http, time, cancellationToken).ConfigureAwait(false);
        try
        {
            return new LogAuditor(log, settings, session, files, key, time);
        }
        catch (InvalidDataException e)
        {
            session.Dispose();
            throw new StartupException(e.Message, e);
        }
        catch
        {
            session.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Verifies and signs the epochs that the log published. If a server, the network, the disk or this program fails, the returned view
    /// describes the failure, because a problem with one log must not end the audit of other logs. The call throws only when the caller
    /// cancels it.
    /// </summary>
    public async Task<LogView> LookAsync(CancellationToken cancellationToken)
    {
        if (_view.Finding is not null)
        {
            return _view;
        }
        _view = _view with { Fault = null };
        try
        {
            AuditResult result = await VerifyAsync(cancellationToken).ConfigureAwait(false);
            _view = Verified(_view) with { Warning = Warning(result) };
            await JudgeAsync(result, cancellationToken).ConfigureAwait(false);
        }
        catch (OptiksServerException e)
        {
            Show(LogCondition.Unreachable, e.Message);
        }
        catch (FirstEpochException e)
        {
            Show(LogCondition.Behind, e.Message);
        }
        catch (SignerUnavailableException e)
        {
            Show(LogCondition.Failing, $"What is verified cannot be signed: {e.Message}");
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            Show(LogCondition.Failing, $"The auditor's files cannot be written: {e.Message}");
        }
        catch (Exception e) when (!cancellationToken.IsCancellationRequested)
        {
            Show(LogCondition.Failing, $"A fault of the auditor ended this look: {e.Message}");
            _view = _view with { Fault = e };
        }
        return _view;
    }

    /// <summary>Records that the webhook accepted the finding.</summary>
    public void Alerted()
    {
        Finding finding = _view.Finding! with { IsAlerted = true };
        _files.Save(finding);
        _view = _view with { Finding = finding };
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _markLock.Dispose();
        _session.Dispose();
    }

    // Verifies new epochs. After a refused answer it asks the servers again, because the audit ends only if no server has an answer that
    // verifies.
    private async Task<AuditResult> VerifyAsync(CancellationToken cancellationToken)
    {
        for (int look = 1; ; look++)
        {
            AuditResult result = await _session.AuditAsync(new Progress(this), cancellationToken).ConfigureAwait(false);
            if (result.IsValid || result.IsProven || IsServerFault(result.Reason) || look == LooksAtRefused)
            {
                return result;
            }
            await Task.Delay(_settings.RefusedPause, _time, cancellationToken).ConfigureAwait(false);
        }
    }

    private async Task JudgeAsync(AuditResult result, CancellationToken cancellationToken)
    {
        if (!result.IsValid)
        {
            End(result);
            return;
        }
        FailPoints.Hit(FailPoints.AuditorVerified);
        AuditState state = _session.State!;
        if (_mark is not null && !_markIsCompared)
        {
            if (_mark.Size > state.Head.Size)
            {
                Show(LogCondition.Waiting,
                    $"The state ends at epoch {state.Head.Size - 1}, and epoch {_mark.Size - 1} may have been signed before: it is an older copy. Nothing is signed until it has caught up.");
                return;
            }
            AuditResult extends = await _session.ExtendsAsync(_mark.Checkpoint, cancellationToken).ConfigureAwait(false);
            if (!extends.IsValid)
            {
                if (extends.IsProven)
                {
                    End(extends);
                    return;
                }
                Show(LogCondition.Behind, $"What was signed before could not be compared with the log: {extends.Reason.Name()}.");
                return;
            }
            _markIsCompared = true;
        }
        if (_view.Signed?.Size != state.Head.Size)
        {
            await SignAsync(state, cancellationToken).ConfigureAwait(false);
        }
        Show(
            LogCondition.Following,
            result.IsSilent
                ? $"Epochs {state.FirstEpoch} to {_view.VerifiedEpoch} are verified and signed. There is no newer one: the log has stopped, or its servers hide epochs."
                : $"Epochs {state.FirstEpoch} to {_view.VerifiedEpoch} are verified and signed.");
    }

    private async Task SignAsync(AuditState state, CancellationToken cancellationToken)
    {
        ulong epoch = EpochRecord.ReadEpoch(state.Head.Record);
        if (epoch + 1 != state.Head.Size || state.Head.Size < _mark?.Size
            || !SignedNote.TryParse(state.Head.Checkpoint, out SignedNote? note, out _))
        {
            throw new InvalidOperationException($"Epoch {epoch} and a checkpoint of {state.Head.Size} entries are nothing to sign.");
        }
        var mark = new AuditorMark(_view.Auditor, state.FirstEpoch, state.Head.Size, state.Head.Checkpoint);
        _files.Save(mark);
        (_mark, _markIsCompared) = (mark, true);
        FailPoints.Hit(FailPoints.AuditorMark);
        ulong now = (ulong)Math.Max(0, _time.GetUtcNow().ToUnixTimeSeconds());
        NoteSignature signature = await Cosignature.SignAsync(note.Text, now, _key, cancellationToken).ConfigureAwait(false);
        FailPoints.Hit(FailPoints.AuditorSign);
        var signed = new SignedStatement
        {
            Auditor = _view.Auditor,
            FirstEpoch = state.FirstEpoch,
            Switches = state.Switches,
            // The note has only the signature lines of the log and of this auditor, because each other cosigner serves its own signature.
            Note =
                SignedNote.Create(note.Text.Span, [note.Signatures.Single(line => line.IsBy(_log.TrustAnchor.LogKey)), signature]).Encode(),
            Record = state.Head.Record,
            SignedAt = now,
        };
        _files.Save(signed);
        FailPoints.Hit(FailPoints.AuditorSigned);
        _view = _view with { Signed = signed };
    }

    // Handles an invalid result. If the fault may be the servers' and not the log's, the auditor tries again at its next look at the log.
    // Otherwise the audit ends.
    private void End(AuditResult result)
    {
        if (result.IsOpen)
        {
            string servers = string.Join(", ", result.Refusals.Select(refusal => refusal.Server.Authority));
            Show(LogCondition.Behind, $"What {servers} gave does not verify ({result.Reason.Name()}), and another server is behind.");
            return;
        }
        if (!result.IsProven && IsServerFault(result.Reason))
        {
            Show(LogCondition.Behind, result.Reason switch
            {
                Reason.Stale => "The servers show less than was verified before.",
                Reason.RecordFromFuture => "The newest record is from the future: compare the clocks.",
                _ => $"The servers' checkpoint is not one that the log signed: {result.Reason.Name()}.",
            });
            return;
        }
        string evidence = result.EvidencePath ?? WriteRefused(result);
        var finding = new Finding(
            result.Reason.Name(), _time.GetUtcNow().ToUnixTimeMilliseconds(), result.IsProven, evidence, result.Detail,
            result.FailedRange?.From, result.FailedRange?.To);
        _files.Save(finding);
        FailPoints.Hit(FailPoints.AuditorFinding);
        _view = _view with { Finding = finding, Condition = LogCondition.Stopped, Description = finding.Sentence };
    }

    private string WriteRefused(AuditResult result)
    {
        var files = new Dictionary<string, ReadOnlyMemory<byte>>();
        for (int i = 0; i < result.Refusals.Count; i++)
        {
            foreach ((string name, ReadOnlyMemory<byte> contents) in result.Refusals[i].Files)
            {
                files[$"{i + 1}-{name}"] = contents;
            }
        }
        files["README.txt"] = Encoding.UTF8.GetBytes(Explain(result));
        return EvidenceFolder.Write(_files.Evidence, ForkEvidence.Name(_time), files);
    }

    private string Explain(AuditResult result)
    {
        var text = new StringBuilder($"No server gave what proves the next step of the log {_log.TrustAnchor.Configuration.Origin}.\n\n");
        for (int i = 0; i < result.Refusals.Count; i++)
        {
            AuditRefusal refusal = result.Refusals[i];
            string what = refusal.Range is { } range ? $"epochs {range.From} to {range.To}" : "its board";
            text.Append(System.Globalization.CultureInfo.InvariantCulture,
                $"{i + 1}-*   {refusal.Server.Authority}, {what}: {refusal.Reason.Name()}\n");
        }
        return text.Append(
            """

            checkpoint.txt      the signed checkpoint
            from-record.bin     the record that was verified last, period-record.bin that of the first epoch of its period
            audit.bin           the proof that is refused: optiks verify 1-audit.bin --trust 1-trust.json
                                --from-record 1-from-record.bin --period-record 1-period-record.bin says why

            A proof is not signed: these files show what a server gave, and prove nothing about the log to others. Ask its
            operator for a proof of this step that verifies.

            """).ToString();
    }

    // Tells whether the reason is a fault of a server, and not of the log or its trees. After such a fault, another server or a later try
    // may succeed.
    private static bool IsServerFault(Reason reason) =>
        reason is Reason.Stale or Reason.RecordFromFuture or Reason.CheckpointMalformed or Reason.CheckpointOrigin
            or Reason.CheckpointSignature;

    private static string? Warning(AuditResult result) => result.IsValid && result.Refusals.Count > 0
        ? string.Join(
            " ",
            result.Refusals.Select(refusal =>
                $"{refusal.Server.Authority} gave an answer that does not verify ({refusal.Reason.Name()}); another server's does."))
        : null;

    private void Show(LogCondition condition, string description) =>
        _view = _view with { Condition = condition, Description = description };

    private LogView Verified(LogView view) => _session.State is { Head.Record: { } record }
        ? view with { VerifiedEpoch = EpochRecord.ReadEpoch(record), VerifiedTimeMs = EpochRecord.Decode(record).TimeMs }
        : view;

    // Throws unless the signed statement, the mark and the state belong to one auditor and one coverage.
    private void Require(SignedStatement? signed)
    {
        string auditor = _key.Key.ToString();
        ulong first = _session.State?.FirstEpoch ?? _log.FirstEpoch;
        if (first != _log.FirstEpoch)
        {
            throw new StartupException(
                $"This auditor started at epoch {first} of {_log.TrustAnchor.Configuration.Origin}. Where its coverage begins never changes: to start at {_log.FirstEpoch}, use another key and another folder.");
        }
        if (signed is not null && signed.Open(_log.TrustAnchor, _key.Key) is null)
        {
            throw new StartupException(
                $"{_files.Folder} has a statement that {_key.Key.Name} did not sign with this key: put the key back that signed it, or use another folder.");
        }
        if (_mark is not null && (_mark.Auditor != auditor || _mark.FirstEpoch != first))
        {
            throw new StartupException(
                $"{_files.Mark} is of the auditor {_mark.Auditor} from epoch {_mark.FirstEpoch} on, not of {auditor} from epoch {first} on: a key signs one coverage of a log.");
        }
        if (signed is not null && (_mark is null || _mark.Size < signed.Size))
        {
            throw new StartupException(
                ExitCodes.Rollback,
                $"Epoch {signed.Epoch} was signed, and {_files.Mark} {(_mark is null ? "is missing" : $"ends at epoch {_mark.Size - 1}")}: it may be an older copy. Put the newest one back; if no newer one exists, 'optiks auditor resume' makes it again.");
        }
    }

    // Updates the last verified epoch in the view while the auditor verifies epochs. Catching up with a log may take hours. The signed
    // statement does not change in the meantime.
    private sealed class Progress(LogAuditor auditor) : IProgress<AuditProgress>
    {
        private long _octets;

        public void Report(AuditProgress value)
        {
            LogView view = auditor._view;
            auditor._view = view with
            {
                VerifiedEpoch = value.Epoch,
                ProofOctets = view.ProofOctets + value.ProofOctets - _octets,
                Description = view.Condition == LogCondition.Starting
                    ? $"Catching up: epoch {value.Epoch} of {value.Target}."
                    : view.Description,
            };
            _octets = value.ProofOctets;
            FailPoints.Hit(FailPoints.AuditorRange);
        }
    }
}
