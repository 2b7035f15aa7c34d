using Optiks.Native;
using Optiks.Protocol;
using Optiks.Receipts;
using Optiks.Tlog;

namespace Optiks.Client;

/// <summary>
/// Judges folders of evidence offline, with nothing but the log's key and the files, for somebody who trusts neither the log nor the
/// collector (docs/spec/answers.md section 7, docs/spec/broken-append.md, docs/spec/state.md section 2, docs/spec/receipts.md section 6).
/// Thread-safe.
/// </summary>
public static class EvidenceJudge
{
    private const long MaxAnchor = 64 * 1024;
    private const long MaxPrefix = 64 * 1024;

    private const long MaxAnswer = 64L << 20;

    // The most octets of a leaf statement. This library leaves the value out of statements, but another program may include the value.
    private const long MaxStatement = LeafStatement.MaxLength + ProtocolLimits.MaxValueLength;

    // The most octets of an append-only proof over the largest range of epochs.
    private const long MaxProof = 1L << 30;

    /// <summary>
    /// Judges what a folder proves. Throws <see cref="InvalidDataException"/> for a folder that is damaged or is not a known kind of
    /// evidence, and <see cref="IOException"/> if it cannot read the folder.
    /// </summary>
    /// <param name="folder">The folder, as this library wrote it.</param>
    /// <param name="anchor">The log's trust anchor, which the folder's anchor must match. If null, the judge uses the folder's anchor, and
    /// the verdict names that anchor.</param>
    public static EvidenceVerdict Judge(string folder, TrustAnchor? anchor)
    {
        var files = new EvidenceFiles(folder);
        string prefix = files.Find("trust.json", MaxAnchor) is null ? "1-" : "";
        TrustAnchor found;
        try
        {
            found = TrustAnchor.Parse(files.Require($"{prefix}trust.json", MaxAnchor));
        }
        catch (TrustAnchorException e)
        {
            throw new InvalidDataException($"{prefix}trust.json: {e.Message}", e);
        }
        if (anchor is not null && !(anchor.LogId.Span.SequenceEqual(found.LogId.Span) && anchor.LogKey.Equals(found.LogKey)))
        {
            throw new InvalidDataException(
                $"The evidence is about another log than the trust anchor that was given: {found.Configuration.Origin}, {found.LogKey}.");
        }
        return files.TryFind("kept-checkpoint.txt", SignedNote.MaxBytes, out byte[]? kept) ? JudgeFork(files, found, kept)
            : files.TryFind(LeafEvidence.KeptName, MaxStatement, out byte[]? leaf) ? JudgeLeaves(files, found, leaf)
            : files.Ending(".tlog-proof") is { Count: > 0 } proofs ? JudgeRecord(files, found, proofs)
            : files.TryFind("receipt.txt", SignedNote.MaxBytes, out byte[]? receipt) ? JudgePromise(files, found, receipt)
            : files.TryFind($"{prefix}audit.bin", MaxProof, out byte[]? proof) ? JudgeProof(files, found, prefix, proof)
            : throw new InvalidDataException(
                "It has neither two checkpoints, nor two statements about a leaf, nor records with their inclusion proofs, nor a receipt, nor an audit proof.");
    }

    private static EvidenceVerdict JudgeFork(EvidenceFiles files, TrustAnchor anchor, byte[] keptNote)
    {
        if (VerifiedNote.Verify(anchor, keptNote, out VerifiedNote? kept) is var unsigned && kept is null)
        {
            return None(EvidenceKind.Fork, anchor, unsigned, null, "kept-checkpoint.txt is not signed by the log.");
        }
        if (!files.TryFind("received-checkpoint.txt", SignedNote.MaxBytes, out byte[]? receivedNote))
        {
            return None(EvidenceKind.Fork, anchor, Reason.Fork, null, "There is one checkpoint, and no other that it could contradict.");
        }
        if (VerifiedNote.Verify(anchor, receivedNote, out VerifiedNote? received) is var otherUnsigned && received is null)
        {
            return None(EvidenceKind.Fork, anchor, otherUnsigned, null, "received-checkpoint.txt is not signed by the log.");
        }
        if (kept.Size == received.Size)
        {
            return kept.Root.AsSpan().SequenceEqual(received.Root)
                ? None(EvidenceKind.Fork, anchor, Reason.Fork, null, "Both checkpoints are of the same tree.")
                : Fork(anchor, $"The log signed two different trees of {kept.Size} entries: it showed two histories.");
        }
        if (!PrefixProof.TryParse(files.Require("received-prefix.txt", MaxPrefix), out PrefixProof? prefix))
        {
            throw new InvalidDataException("received-prefix.txt is not a size, a root and hashes, a line each.");
        }
        if (prefix.Size != kept.Size
            || ConsistencyProof.Verify(prefix.Size, prefix.Root, received.Size, TreeHash.FromBytes(received.Root), prefix.Consistency)
                != TlogError.None)
        {
            return None(EvidenceKind.Fork, anchor, Reason.CheckpointConsistency, null,
                "received-prefix.txt does not show what the larger tree begins with.");
        }
        return prefix.Root.AsSpan().SequenceEqual(kept.Root)
            ? None(EvidenceKind.Fork, anchor, Reason.Fork, null, "The larger tree extends the smaller one.")
            : Fork(
                anchor,
                $"The log signed a tree of {kept.Size} entries and one of {received.Size} that does not begin with it: it showed two histories.");
    }

    private static EvidenceVerdict JudgeLeaves(EvidenceFiles files, TrustAnchor anchor, byte[] kept)
    {
        byte[] received = files.Require(LeafEvidence.ReceivedName, MaxStatement);
        Reason reason = LogVerifier.JudgeLeaves(anchor, kept, received);
        if (reason == Reason.LeafContradicts)
        {
            (LeafStatement first, LeafStatement second) = (LeafStatement.Decode(kept), LeafStatement.Decode(received));
            return new EvidenceVerdict(EvidenceKind.BrokenAppend, anchor, IsProof: true, reason, Math.Max(first.Epoch, second.Epoch),
                LeafEvidence.Sentence(first, second));
        }
        return None(EvidenceKind.BrokenAppend, anchor, reason, null, reason switch
        {
            Reason.LeafAgrees => "Both statements can be true of one tree that only grows.",
            Reason.LeafUnrelated => "The statements are of different leaves: of another structure, key, version or period.",
            Reason.RecordVrfKey =>
                "The records have different VRF keys, so that the statements are of different leaves. That the log changed its key is for its records to show.",
            _ => $"A statement does not verify: {reason.Name()}.",
        });
    }

    private static EvidenceVerdict JudgeRecord(EvidenceFiles files, TrustAnchor anchor, IReadOnlyList<string> proofs)
    {
        var verifier = new CheckpointVerifier(anchor.LogKey, [], Ed25519.Verifier);
        var entries = new SortedDictionary<ulong, byte[]>();
        SignedCheckpoint? of = null;
        foreach (string name in proofs)
        {
            byte[] entry = files.Require(Path.ChangeExtension(name, ".bin"), EntryBundle.MaxEntryLength);
            if (!TlogProof.TryParse(files.Require(name, TlogProof.MaxBytes), out TlogProof? proof, out TlogError error))
            {
                throw new InvalidDataException($"{name} is no proof of inclusion: {error}.");
            }
            if (proof.Verify(verifier, entry, out SignedCheckpoint? opened) is var refused && opened is null)
            {
                return None(EvidenceKind.Record, anchor, Reason.InclusionProof, proof.Index,
                    $"{name} does not show its entry in a tree that the log signed: {refused}.");
            }
            if (of is not null && (of.Checkpoint.Size != opened.Checkpoint.Size || of.Checkpoint.Root != opened.Checkpoint.Root))
            {
                throw new InvalidDataException("The entries are of different checkpoints.");
            }
            of = opened;
            entries[proof.Index] = entry;
        }
        ulong at = entries.Keys.Max();
        if (at == 0 || !entries.TryGetValue(at - 1, out byte[]? before) || !IsRecord(anchor, before, at - 1)
            || !entries.TryGetValue(EpochRecord.Decode(before).PeriodFirstEpoch, out byte[]? period)
            || !IsRecord(anchor, period, EpochRecord.Decode(before).PeriodFirstEpoch))
        {
            throw new InvalidDataException($"The record before entry {at}, or that of the first epoch of its period, is missing.");
        }
        Reason reason = new RecordWalk(anchor, before, period).Step(entries[at]);
        return reason == Reason.Valid
            ? None(EvidenceKind.Record, anchor, reason, at, $"The record of epoch {at} is one that may follow the record before it.")
            : new EvidenceVerdict(EvidenceKind.Record, anchor, IsProof: true, reason, at, Sentence(reason, at));
    }

    private static bool IsRecord(TrustAnchor anchor, byte[] entry, ulong epoch) =>
        entry.Length == EpochRecord.Length && LogVerifier.VerifyRecord(anchor, entry, []) == Reason.Valid
            && EpochRecord.ReadEpoch(entry) == epoch;

    private static EvidenceVerdict JudgeProof(EvidenceFiles files, TrustAnchor anchor, string prefix, byte[] proof)
    {
        byte[] from = files.RequireRecord($"{prefix}from-record.bin");
        byte[] period = files.RequireRecord($"{prefix}period-record.bin");
        AuditVerdict verdict = Verifier.Audit(new VerifierContext { Anchor = anchor, NowMs = ulong.MaxValue }, from, period, proof);
        ulong epoch = unchecked(EpochRecord.ReadEpoch(from) + 1);
        return None(EvidenceKind.RefusedProof, anchor, verdict.Reason, epoch, verdict.Reason == Reason.Valid
            ? "The proof holds: there is nothing wrong with what the server gave."
            : $"A server gave this as the proof of the step to epoch {epoch}, and it is refused: {verdict.Reason.Name()}. Nobody signed it, so to others it proves nothing about the log.");
    }

    private static EvidenceVerdict JudgePromise(EvidenceFiles files, TrustAnchor anchor, byte[] note)
    {
        var given = new UpdateReceipt(
            default, files.Require("key.bin", ProtocolLimits.MaxKeyLength), files.Require("value.bin", ProtocolLimits.MaxValueLength), note,
            files.Require("receipt-keys.txt", SignedNote.MaxBytes));
        (Reason reason, Receipt? receipt) = PromiseJudge.Judge(
            anchor, given, files.Find(PromiseJudge.AfterName, BoardHead.MaxLength) ?? [], Answers(files));
        string value = $"this value of the key {DisplayText.Show(given.Key.Span)}";
        return reason == Reason.PromiseBroken
            ? new EvidenceVerdict(EvidenceKind.Promise, anchor, IsProof: true, reason, receipt!.By, FormattableString.Invariant(
                $"The log promised, with its signature, to publish {value} in an epoch from {receipt.After + 1} to {receipt.By}, and published no such version: it accepted an update and dropped it."))
            : None(EvidenceKind.Promise, anchor, reason, receipt?.By, reason switch
            {
                Reason.PromiseKept => $"The log published {value} in time: it kept its promise.",
                Reason.PromiseErased => "A version of these epochs was erased: it may be the one that was promised.",
                Reason.PromiseUncovered => "The answers do not show all versions of the key in the epochs of the promise.",
                Reason.ReceiptTime =>
                    $"The receipt's time is not that of a promise from epoch {receipt!.After} on: its key, whose time may be over, says what the log did not.",
                _ when receipt is null => $"This is no promise of the log to publish {value}: {reason.Name()}.",
                _ => $"The epoch from which on the promise counts, or an answer about the key, does not verify: {reason.Name()}.",
            });
    }

    // Reads one answer at a time, because all answers together may be large.
    private static IEnumerable<ReadOnlyMemory<byte>> Answers(EvidenceFiles files)
    {
        for (int i = 1; i <= ProtocolLimits.MaxEvidenceAnswers && files.Find(PromiseJudge.AnswerName(i), MaxAnswer) is { } answer; i++)
        {
            yield return answer;
        }
    }

    private static EvidenceVerdict Fork(TrustAnchor anchor, string sentence) =>
        new(EvidenceKind.Fork, anchor, IsProof: true, Reason.Fork, null, sentence);

    private static EvidenceVerdict None(EvidenceKind kind, TrustAnchor anchor, Reason reason, ulong? epoch, string sentence) =>
        new(kind, anchor, IsProof: false, reason, epoch, sentence);

    // Returns a sentence that explains a breach of the rules of records to people.
    private static string Sentence(Reason reason, ulong epoch) => FormattableString.Invariant(reason switch
    {
        Reason.RecordVrfKey =>
            $"The log signed another VRF key at epoch {epoch}, within a period: it could give one key two sets of labels, and hide values.",
        Reason.RecordPeriod =>
            $"The log began a period at epoch {epoch} against its own rules, too early or with a wrong number: it could swap keys in and out between two checks.",
        Reason.RecordEpoch => $"The log's entry {epoch} is the record of another epoch: an epoch was left out or repeated.",
        Reason.RecordPrevious =>
            (FormattableString)$"The log's record of epoch {epoch} does not name the record before it: it has another history behind it.",
        Reason.RecordTime => $"The log's clock went backwards at epoch {epoch}.",
        Reason.RecordCount => $"The log's trees have fewer leaves at epoch {epoch} than before: something was taken out.",
        Reason.RecordLogId => $"The log's record of epoch {epoch} is of another log.",
        _ => $"The log signed a record of epoch {epoch} that breaks a rule of records: {reason.Name()}.",
    });
}
