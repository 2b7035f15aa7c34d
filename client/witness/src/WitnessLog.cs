using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Optiks.Native;
using Optiks.Secrets;
using Optiks.ServiceDefaults;
using Optiks.Tlog;

namespace Optiks.Witness;

/// <summary>Decides the requests about one log, and keeps the witness's state of that log. Thread-safe.</summary>
/// <remarks>
/// Invariants: (1) The comparison with the old size and the write happen under one lock (<c>_turn</c>), so no other request for this log
/// comes between them. (2) The witness signs a checkpoint and a time only after both are on disk. (3) A new state on disk has a larger tree
/// that extends the tree of the old state, or the same tree with the same or a later time.
/// </remarks>
internal sealed class WitnessLog : IDisposable
{
    // The most requests that may wait at the same time, for example for a slow disk. Anyone can resend a checkpoint that a log has
    // published, so each caller may use only a share of these places.
    private const int MaxWaiting = 16;

    // The most seconds by which the clock may be behind the last cosignature. A normal correction of the clock is smaller. So if the clock
    // is behind by more, it is wrong, and the witness refuses to cosign.
    private const ulong MaxStepBack = 60;

    private const int MaxEvidence = 16;

    private readonly SemaphoreSlim _turn = new(1, 1);
    private readonly CallerShares _places = new(MaxWaiting);
    private readonly VerifierSet _verifier;
    private readonly WitnessFolder _folder;
    private readonly INoteSigner _signer;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private WitnessedState? _state;
    private volatile SignedNote? _cosigned;

    private WitnessLog(VerifierKey key, WitnessFolder folder, INoteSigner signer, TimeProvider time, ILogger logger)
    {
        Key = key;
        _verifier = new VerifierSet(Ed25519.Verifier, [key]);
        _folder = folder;
        _signer = signer;
        _time = time;
        _logger = logger;
    }

    /// <summary>The key of the log; the name of the key is the log's origin.</summary>
    public VerifierKey Key { get; }

    /// <summary>
    /// The last cosigned checkpoint, with the signatures of the log and of the witness; null before the first cosignature.
    /// </summary>
    public SignedNote? Cosigned => _cosigned;

    /// <summary>The size of the last cosigned checkpoint.</summary>
    public ulong Size => Volatile.Read(ref _state)?.Checkpoint.Size ?? 0;

    /// <summary>The time in the last cosignature, in seconds since 1970; 0 before the first cosignature.</summary>
    public ulong Time => Volatile.Read(ref _state)?.Time ?? 0;

    /// <summary>
    /// Describes, in words that anyone may see, the problem that kept the witness from cosigning the last checkpoint; null if there was no
    /// problem.
    /// </summary>
    public string? Problem { get; private set; }

    /// <summary>
    /// Loads the state from disk. Throws <see cref="StartupException"/> for a file that is not the state of this log, because without its
    /// state the witness could cosign a second history.
    /// </summary>
    public static async Task<WitnessLog> OpenAsync(
        VerifierKey key, WitnessFolder folder, INoteSigner signer, TimeProvider time, ILogger logger, CancellationToken cancellationToken)
    {
        var log = new WitnessLog(key, folder, signer, time, logger);
        string path = folder.GetStateFile(key.Name);
        byte[] octets;
        try
        {
            octets = await File.ReadAllBytesAsync(path, cancellationToken);
        }
        catch (FileNotFoundException)
        {
            return log;
        }
        if (!WitnessedState.TryDecode(octets, out WitnessedState? state) || state.Checkpoint.Origin != key.Name
            || log._verifier.Verify(state.Note, out _) != TlogError.None)
        {
            throw new StartupException(
                $"{path} is not what this witness kept of {key}: put the file back, or the key with which the log had signed it. Without it the witness could cosign a second history.");
        }
        // Sync the folder, because an earlier process may have crashed after it renamed the state file and before it synced the folder.
        DurableFiles.SyncFolder(folder.State);
        await log.SignAsync(state, cancellationToken);
        return log;
    }

    /// <summary>
    /// Decides a caller's request about this log (docs/spec/witness.md section 3); the parameter <paramref name="caller"/> is the number by
    /// which <see cref="Caller"/> identifies the sender of the request.
    /// </summary>
    public async Task<WitnessAnswer> AddAsync(AddCheckpointRequest request, int caller, CancellationToken cancellationToken)
    {
        if (_verifier.Verify(request.Note, out IReadOnlyList<VerifiedSignature> verified) != TlogError.None)
        {
            return new WitnessAnswer(StatusCodes.Status403Forbidden);
        }
        if (!Checkpoint.TryParse(request.Note.Text.Span, out Checkpoint? checkpoint, out TlogError error))
        {
            return new WitnessAnswer(
                error == TlogError.BadEmptyRoot ? StatusCodes.Status422UnprocessableEntity : StatusCodes.Status400BadRequest);
        }
        if (request.OldSize > checkpoint.Size)
        {
            return new WitnessAnswer(StatusCodes.Status400BadRequest);
        }
        SignedNote note = SignedNote.Create(request.Note.Text.Span, [verified[0].Signature]);
        if (!_places.TryTake(caller, 1))
        {
            return new WitnessAnswer(StatusCodes.Status429TooManyRequests);
        }
        try
        {
            await _turn.WaitAsync(cancellationToken);
            try
            {
                // From here on, a caller that hangs up no longer cancels the request.
                return await DecideAsync(request, checkpoint, note);
            }
            finally
            {
                _turn.Release();
            }
        }
        finally
        {
            _places.Return(caller, 1);
        }
    }

    public void Dispose() => _turn.Dispose();

    private async Task<WitnessAnswer> DecideAsync(AddCheckpointRequest request, Checkpoint checkpoint, SignedNote note)
    {
        ulong size = _state?.Checkpoint.Size ?? 0;
        if (request.OldSize != size)
        {
            return new WitnessAnswer(StatusCodes.Status409Conflict, $"{size}\n");
        }
        TreeHash root = _state?.Checkpoint.Root ?? Rfc6962.EmptyRoot;
        TlogError error = ConsistencyProof.Verify(size, root, checkpoint.Size, checkpoint.Root, request.Proof);
        if (error != TlogError.None)
        {
            if (checkpoint.Size == size && checkpoint.Root != root)
            {
                KeepEvidence(checkpoint, note);
            }
            return new WitnessAnswer(StatusCodes.Status422UnprocessableEntity);
        }
        ulong now = (ulong)Math.Max(0, _time.GetUtcNow().ToUnixTimeSeconds());
        ulong last = _state?.Time ?? 0;
        if (now + MaxStepBack < last)
        {
            _logger.ClockWentBack(Key.Name, now, last);
            Problem = "The clock is behind the last cosignature.";
            return new WitnessAnswer(StatusCodes.Status503ServiceUnavailable);
        }
        // If the log has signed the same text twice with different signatures, keep the first one.
        var next = new WitnessedState(Math.Max(now, last),
            _state is not null && _state.Note.Text.Span.SequenceEqual(note.Text.Span) ? _state.Note : note, checkpoint);
        if (_state is null || _cosigned is null || next.Time != _state.Time || !ReferenceEquals(next.Note, _state.Note))
        {
            await StoreAsync(next);
        }
        return new WitnessAnswer(StatusCodes.Status200OK, $"{_cosigned!.Signatures[^1].ToLine()}\n");
    }

    private async Task StoreAsync(WitnessedState next)
    {
        try
        {
            AtomicFile.Write(_folder.GetStateFile(Key.Name), next.Encode(), AtomicFile.PrivateMode);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // It is not known whether the new state file already has its final name. That does no harm: the witness has not signed the new
            // state, and will overwrite the file before it signs anything else.
            Problem = "State cannot be stored.";
            throw new WitnessStorageException($"What is to be cosigned of {Key.Name} cannot be stored.", e);
        }
        FailPoints.Hit(FailPoints.WitnessStore);
        try
        {
            await SignAsync(next, CancellationToken.None);
        }
        catch (SignerUnavailableException)
        {
            // The new state is on disk but was not signed. The witness will overwrite it before it signs anything else.
            Problem = "The witness's key cannot be used.";
            throw;
        }
        FailPoints.Hit(FailPoints.WitnessSign);
        Problem = null;
    }

    // Signs a state that is already on disk.
    private async Task SignAsync(WitnessedState stored, CancellationToken cancellationToken)
    {
        NoteSignature signature = await Cosignature.SignAsync(stored.Note.Text, stored.Time, _signer, cancellationToken);
        Volatile.Write(ref _state, stored);
        _cosigned = stored.Note.WithSignatures([signature]);
    }

    // Stores two checkpoints of one size and different roots, so that anyone can verify that the log signed both.
    private void KeepEvidence(Checkpoint checkpoint, SignedNote note)
    {
        DataFolder.CreateFolder(_folder.Evidence);
        string prefix = $"{WitnessFolder.GetName(Key.Name)}-";
        string path = Path.Combine(_folder.Evidence, $"{prefix}{checkpoint.Size}-{Convert.ToHexStringLower(checkpoint.Root.ToArray())}");
        if (Directory.EnumerateFiles(_folder.Evidence, prefix + "*").Take(MaxEvidence).Count() < MaxEvidence
            && AtomicFile.TryCreate(path, [.. _state!.Note.Encode(), .. "\n"u8, .. note.Encode()], AtomicFile.PublicMode))
        {
            _logger.ForkSeen(Key.Name, checkpoint.Size, path);
        }
    }
}
