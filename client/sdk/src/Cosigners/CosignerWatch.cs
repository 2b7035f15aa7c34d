using System.Collections.Immutable;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Client;

/// <summary>
/// Asks servers for the checkpoints that the policy's auditors and witnesses cosigned, and compares them with the client's head
/// (docs/spec/cosigners.md section 3). It does not trust a server: only signatures of the log and of a cosigner count. It stores no state.
/// Thread-safe.
/// </summary>
internal sealed class CosignerWatch
{
    private const long Never = long.MinValue;

    private readonly OptiksClientOptions _options;
    private readonly TrustAnchor _anchor;
    private readonly ServerConnection _connection;
    private readonly TimeProvider _time;
    private long _looked = Never;

    public CosignerWatch(OptiksClientOptions options, ServerConnection connection, TimeProvider time)
    {
        _options = options;
        _anchor = options.TrustAnchor;
        _connection = connection;
        _time = time;
    }

    /// <summary>The time limit for one request to one server, including the comparison of the answer with the client's head.</summary>
    public static TimeSpan Within { get; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Updates a view if an update is due, and returns the view. If the witness quorum of the policy is missing for the epoch and
    /// <paramref name="mayWait"/> is true, the call asks again as long as the client's options allow. It asks again because cosignatures
    /// arrive shortly after the checkpoint. The returned view may still lack some of these cosignatures.
    /// </summary>
    public async Task<CosignerView> SeeAsync(
        CosignerView view, ulong from, ulong epoch, Uri first, bool mayWait, CancellationToken cancellationToken)
    {
        TrustPolicy policy = _anchor.Policy;
        if (policy.IsEmpty)
        {
            return view;
        }
        long looked = Volatile.Read(ref _looked);
        bool isWitnessed = new Coverage(policy, view.Cosigners).IsWitnessed(epoch);
        if (isWitnessed && looked != Never && _time.GetElapsedTime(looked) < _options.CosignersAfter)
        {
            return view;
        }
        try
        {
            return await LookAsync(view, from, epoch, first, mayWait, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            // The interval between two updates begins once the servers have been asked, so a slow server can delay the client only once per
            // interval.
            Volatile.Write(ref _looked, _time.GetTimestamp());
        }
    }

    private async Task<CosignerView> LookAsync(
        CosignerView view, ulong from, ulong epoch, Uri first, bool mayWait, CancellationToken cancellationToken)
    {
        bool isWitnessed;
        var backoff = new Backoff(_options, _time);
        do
        {
            isWitnessed = false;
            foreach (Uri server in _options.QueryUrls.OrderByDescending(url => url == first))
            {
                view = await LookAsync(view, server, cancellationToken).ConfigureAwait(false);
                var coverage = new Coverage(_anchor.Policy, view.Cosigners);
                isWitnessed = coverage.IsWitnessed(epoch);
                if (view.Fork is not null || (isWitnessed && (_anchor.Policy.Auditors is null || coverage.IsAudited(from, epoch))))
                {
                    return view;
                }
            }
        }
        while (!isWitnessed && mayWait && await backoff.TryWaitAsync(null, cancellationToken).ConfigureAwait(false));
        return view;
    }

    // Adds the cosigned checkpoints of one server to a view. If the server gives no usable answer, the view stays unchanged, because other
    // servers may give a usable answer.
    private async Task<CosignerView> LookAsync(CosignerView view, Uri server, CancellationToken cancellationToken)
    {
        using var late = new CancellationTokenSource(Within, _time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(late.Token, cancellationToken);
        try
        {
            byte[] answer =
                await _connection.SendAsync(new ServerRequest(server, "/v1/cosignatures", MediaTypes.Json, CosignaturesJson.MaxLength),
                    either.Token).ConfigureAwait(false);
            IReadOnlyList<CosignedNote> notes = Read(answer, view.Cosigners, server);
            if (FindPair(view, notes) is { } pair)
            {
                return view with { Fork = pair };
            }
            var board = new BoardReader(_connection, server);
            var head = new HashReader(board, view.Head.Size, TreeHash.FromBytes(view.Head.Root));
            foreach (CosignedNote note in notes)
            {
                CosignerView next = await TakeAsync(view, note, board, head, either.Token).ConfigureAwait(false);
                if (next.Fork is not null)
                {
                    return next;
                }
                head = ReferenceEquals(next.Head, view.Head)
                    ? head
                    : new HashReader(board, next.Head.Size, TreeHash.FromBytes(next.Head.Root));
                view = next;
            }
        }
        catch (OptiksServerException)
        {
            // Ignore the failure: if cosignatures are missing, the verdict says so.
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            // The server took too long. Ignore that: if cosignatures are missing, the verdict says so.
        }
        return view;
    }

    // Returns every note that the client does not have yet, in the order of the notes' tree sizes. The result includes old notes of small
    // trees, because such a note may contradict a kept note.
    private IReadOnlyList<CosignedNote> Read(byte[] answer, ImmutableDictionary<string, CosignerState> kept, Uri server)
    {
        var notes = new List<CosignedNote>();
        DateTimeOffset now = _time.GetUtcNow();
        var ahead = TimeSpan.FromMilliseconds(_anchor.Configuration.MaxAheadMs);
        foreach (byte[] octets in CosignaturesJson.Read(answer))
        {
            // Skip a note that the log did not sign, because it says nothing about the log. A note in which a known cosigner's signature is
            // invalid is skipped too.
            if (!_anchor.Policy.Verifier.TryOpen(octets, out SignedCheckpoint? opened, out _))
            {
                continue;
            }
            foreach (VerifiedSignature cosignature in opened.Cosignatures.Where(
                one => !Cosignature.IsAhead(one.Timestamp!.Value, now, ahead)))
            {
                (ulong size, byte[] root) = (opened.Checkpoint.Size, opened.Checkpoint.Root.ToArray());
                string cosigner = cosignature.Key.ToString();
                bool isKept = kept.GetValueOrDefault(cosigner) is { } before && before.Size == size
                    && before.Root.AsSpan().SequenceEqual(root);
                if (!isKept)
                {
                    notes.Add(new CosignedNote(
                        cosigner, new VerifiedNote(size, root, opened.NoteWith(_anchor.LogKey, cosignature).Encode()),
                        $"{cosignature.Key.Name} cosigned and {server.Authority} gave"));
                }
            }
        }
        return [.. notes.OrderBy(one => one.Note.Size)];
    }

    // Returns evidence that the log signed two different trees of one size; null if the notes show no such trees. This evidence needs no
    // tiles.
    private Dictionary<string, ReadOnlyMemory<byte>>? FindPair(CosignerView view, IReadOnlyList<CosignedNote> notes)
    {
        var bySize =
            view.Cosigners.Select(one => new CosignedNote(
                one.Key, new VerifiedNote(one.Value.Size, one.Value.Root, one.Value.Checkpoint), "this client had verified"))
            .DistinctBy(one => one.Note.Size).ToDictionary(one => one.Note.Size);
        foreach (CosignedNote note in notes)
        {
            if (bySize.TryAdd(note.Note.Size, note) || bySize[note.Note.Size] is not { } other
                || other.Note.Root.AsSpan().SequenceEqual(note.Note.Root))
            {
                continue;
            }
            return ForkEvidence.CollectPair(_anchor, other.Note, other.Source, note.Note, note.Source);
        }
        return null;
    }

    private async Task<CosignerView> TakeAsync(
        CosignerView view, CosignedNote cosigned, BoardReader board, HashReader head, CancellationToken cancellationToken)
    {
        VerifiedNote note = cosigned.Note;
        bool isLarger = note.Size > view.Head.Size;
        var own = new VerifiedNote(view.Head.Size, view.Head.Root, view.Head.Checkpoint);
        (VerifiedNote smaller, VerifiedNote larger) = isLarger ? (own, note) : (note, own);
        HashReader tiles = isLarger ? new HashReader(board, note.Size, TreeHash.FromBytes(note.Root)) : head;
        HeadComparison comparison;
        try
        {
            comparison = await HeadComparison.RunAsync(smaller.Size, smaller.Root, larger, tiles, cancellationToken).ConfigureAwait(false);
        }
        catch (InvalidTileException)
        {
            // The server's files do not make up the signed tree, so the files say nothing about the cosigned checkpoint.
            return view;
        }
        if (comparison.Relation == HeadRelation.Contradicts)
        {
            return view with
            {
                Fork = ForkEvidence.CollectCosigned(
                _anchor, view.Head, smaller, larger, comparison.Prefix, isLarger, cosigned.Source)
            };
        }
        // A larger checkpoint becomes the head's checkpoint, so that later checkpoints are compared with it and must extend it.
        HeadState next = isLarger
            ? view.Head with { Size = note.Size, Root = note.Root, Checkpoint = VerifiedNote.Reduce(_anchor, note.Octets) }
            : view.Head;
        // For each cosigner, keep only the note with the largest tree size.
        return view.Cosigners.GetValueOrDefault(cosigned.Cosigner) is { } kept && kept.Size >= note.Size
            ? view with { Head = next }
            : new CosignerView(
                next,
                view.Cosigners.SetItem(cosigned.Cosigner,
                    new CosignerState { Size = note.Size, Root = note.Root, Checkpoint = note.Octets }));
    }

    // A checkpoint that was verified with the signature of one cosigner. `Cosigner` is the cosigner's vkey, and `Source` says in words
    // for people which server sent the checkpoint.
    private sealed record CosignedNote(string Cosigner, VerifiedNote Note, string Source);
}
