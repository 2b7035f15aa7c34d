using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Optiks.Native;
using Optiks.Secrets;
using Optiks.ServiceDefaults;
using Optiks.Tlog;

namespace Optiks.Witness;

/// <summary>WitnessLog is one log as a witness sees it. Any thread.</summary>
/// <remarks>
/// Invariants: (1) What is compared with the old size, and what is written, are one step under the turn: no other request of this log comes between. (2) A signature is made after its checkpoint
/// and its time are on disk, and only of what is there. (3) What is on disk only ever grows: a larger tree that extends the one before, or the same tree at a later time.
/// </remarks>
internal sealed class WitnessLog : IDisposable
{
    // More than these wait for a disk that does not keep up. Anyone can send again what a log has published, hence a share for each caller.
    private const int MaxWaiting = 16;

    // Beyond this a clock was not corrected, it went back.
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

    /// <summary>Key of the log; its name is the origin.</summary>
    public VerifierKey Key { get; }

    /// <summary>Cosigned is the last checkpoint that was cosigned, with the log's signature and the witness's; null: none was yet.</summary>
    public SignedNote? Cosigned => _cosigned;

    /// <summary>Size of the last checkpoint that was cosigned.</summary>
    public ulong Size => Volatile.Read(ref _state)?.Checkpoint.Size ?? 0;

    /// <summary>Time that the last cosignature names; 0: there is none.</summary>
    public ulong Time => Volatile.Read(ref _state)?.Time ?? 0;

    /// <summary>Problem that kept the last checkpoint from being cosigned, fit for anyone's eyes; null: there was none.</summary>
    public string? Problem { get; private set; }

    /// <summary>
    /// OpenAsync takes up what is on disk. Throws <see cref="StartupException"/> for a file that is not the state of this log: to go on without it might be to cosign a second history.
    /// </summary>
    public static async Task<WitnessLog> OpenAsync(VerifierKey key, WitnessFolder folder, INoteSigner signer, TimeProvider time, ILogger logger, CancellationToken cancellationToken)
    {
        var log = new WitnessLog(key, folder, signer, time, logger);
        string path = folder.StateOf(key.Name);
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
            throw new StartupException($"{path} is not what this witness kept of {key}: put the file back, or the key with which the log had signed it. Without it the witness could cosign a second history.");
        }
        // A crash may have come between the rename and the fsync of the folder.
        DurableFiles.SyncFolder(folder.State);
        await log.SignAsync(state, cancellationToken);
        return log;
    }

    /// <summary>AddAsync decides a request of a caller (<see cref="Caller"/>) about this log (docs/spec/witness.md section 3).</summary>
    public async Task<WitnessAnswer> AddAsync(AddCheckpointRequest request, int caller, CancellationToken cancellationToken)
    {
        if (_verifier.Verify(request.Note, out IReadOnlyList<VerifiedSignature> verified) != TlogError.None)
        {
            return new WitnessAnswer(StatusCodes.Status403Forbidden);
        }
        if (!Checkpoint.TryParse(request.Note.Text.Span, out Checkpoint? checkpoint, out TlogError error))
        {
            return new WitnessAnswer(error == TlogError.BadEmptyRoot ? StatusCodes.Status422UnprocessableEntity : StatusCodes.Status400BadRequest);
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
                // From here to the end nobody's hanging up interrupts.
                return await DecideAsync(request, checkpoint, note);
            }
            finally
            {
                _turn.Release();
            }
        }
        finally
        {
            _places.GiveBack(caller, 1);
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
        // The same text may come with another signature of the log: what was first stays.
        var next = new WitnessedState(Math.Max(now, last), _state is not null && _state.Note.Text.Span.SequenceEqual(note.Text.Span) ? _state.Note : note, checkpoint);
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
            AtomicFile.Write(_folder.StateOf(Key.Name), next.Encode(), AtomicFile.PrivateMode);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The new file may have its name or not: nothing of it was signed, and before anything else is, another is written over it.
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
            // It is on disk, and nothing of it was signed: as above.
            Problem = "The witness's key cannot be used.";
            throw;
        }
        FailPoints.Hit(FailPoints.WitnessSign);
        Problem = null;
    }

    // Of what is on disk.
    private async Task SignAsync(WitnessedState stored, CancellationToken cancellationToken)
    {
        NoteSignature signature = await Cosignature.SignAsync(stored.Note.Text, stored.Time, _signer, cancellationToken);
        Volatile.Write(ref _state, stored);
        _cosigned = stored.Note.WithSignatures([signature]);
    }

    // Two checkpoints of one size: anyone can verify that the log signed both.
    private void KeepEvidence(Checkpoint checkpoint, SignedNote note)
    {
        DataFolder.CreateFolder(_folder.Evidence);
        string prefix = $"{WitnessFolder.NameOf(Key.Name)}-";
        string path = Path.Combine(_folder.Evidence, $"{prefix}{checkpoint.Size}-{Convert.ToHexStringLower(checkpoint.Root.ToArray())}");
        if (Directory.EnumerateFiles(_folder.Evidence, prefix + "*").Take(MaxEvidence).Count() < MaxEvidence
            && AtomicFile.TryCreate(path, [.. _state!.Note.Encode(), .. "\n"u8, .. note.Encode()], AtomicFile.PublicMode))
        {
            _logger.ForkSeen(Key.Name, checkpoint.Size, path);
        }
    }
}
