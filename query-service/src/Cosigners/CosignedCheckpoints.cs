using System.Security.Cryptography;
using System.Text.Json;
using Optiks.Protocol;
using Optiks.QueryService.Following;
using Optiks.ServiceDefaults;
using Optiks.Tlog;

namespace Optiks.QueryService.Cosigners;

/// <summary>
/// Keeps, for each cosigner, the newest checkpoint that it cosigned and that belongs to the log that this replica serves. Also keeps the
/// finished answer with these checkpoints (docs/spec/cosigners.md section 1), so that requests cause neither waits nor computation.
/// Thread-safe.
/// </summary>
internal sealed class CosignedCheckpoints
{
    private const int TagLength = 18;

    private readonly CurrentEpoch _current;
    private readonly Lock _gate = new();
    private readonly Dictionary<VerifierKey, SignedCheckpoint> _kept = [];
    private volatile CosignaturesAnswer _handout = Render([]);

    public CosignedCheckpoints(CurrentEpoch current)
    {
        _current = current;
    }

    /// <summary>The current answer with the kept checkpoints.</summary>
    public CosignaturesAnswer Current => _handout;

    /// <summary>The size of each cosigner's checkpoint in the answer.</summary>
    public IReadOnlyList<(VerifierKey Cosigner, ulong Size)> Sizes
    {
        get
        {
            lock (_gate)
            {
                return [.. _kept.Select(one => (one.Key, one.Value.Checkpoint.Size))];
            }
        }
    }

    /// <summary>
    /// Keeps a checkpoint with a verified cosignature, if the checkpoint is newer than the kept checkpoint of the same cosigner. Compares
    /// the checkpoint with the log's own tree. A checkpoint that the log signed but that is not a prefix of this tree proves a fork. Throws
    /// <see cref="BoardUnreadableException"/> if the board cannot be read.
    /// </summary>
    public async Task<TakeResult> TakeAsync(
        VerifierKey logKey, SignedCheckpoint checkpoint, VerifiedSignature cosignature, CancellationToken cancellationToken)
    {
        (ulong size, TreeHash root) = (checkpoint.Checkpoint.Size, checkpoint.Checkpoint.Root);
        lock (_gate)
        {
            // A checkpoint that is not newer than the kept one of the same cosigner is of no use.
            if (_kept.TryGetValue(cosignature.Key, out SignedCheckpoint? kept) && kept.Checkpoint.Size >= size)
            {
                return kept.Checkpoint.Size == size && kept.Checkpoint.Root != root ? TakeResult.Contradicts : TakeResult.Known;
            }
        }
        if (_current.Peek() is not { } epoch || size > epoch.Log.Size)
        {
            return TakeResult.Ahead;
        }
        if (await epoch.Log.ReadRootAsync(size, cancellationToken) != root)
        {
            return TakeResult.Contradicts;
        }
        // The kept note contains only the log's signature and this cosigner's, because only these two were verified.
        SignedNote note = checkpoint.NoteWith(logKey, cosignature);
        lock (_gate)
        {
            if (!_kept.TryGetValue(cosignature.Key, out SignedCheckpoint? kept) || kept.Checkpoint.Size < size)
            {
                _kept[cosignature.Key] = new SignedCheckpoint(note, checkpoint.Checkpoint, [cosignature]);
                _handout = Render(_kept.Values);
            }
        }
        return TakeResult.New;
    }

    private static CosignaturesAnswer Render(IEnumerable<SignedCheckpoint> checkpoints)
    {
        using var body = new MemoryStream();
        using (var writer = new Utf8JsonWriter(body, new JsonWriterOptions { Encoder = AnswerJson.Encoder }))
        {
            writer.WriteStartObject();
            writer.WriteStartArray("checkpoints"u8);
            foreach (SignedCheckpoint checkpoint in checkpoints.OrderBy(one => one.Cosignatures[0].Key.Name, StringComparer.Ordinal))
            {
                writer.WriteStringValue(checkpoint.Note.Encode());
            }
            writer.WriteEndArray();
            writer.WriteEndObject();
        }
        byte[] octets = body.ToArray();
        return new CosignaturesAnswer(octets, Base64UrlText.Encode(SHA256.HashData(octets).AsSpan(0, TagLength)));
    }
}
